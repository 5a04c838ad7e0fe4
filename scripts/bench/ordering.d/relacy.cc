// The tests under Relacy's full search.
//
// usage: relacy as-written|seq_cst TEST LIMIT_S STEADY_S
// One exploration of TEST from a cold start, given up after LIMIT_S seconds of processor time;
// then, if it took less than STEADY_S, the same again until STEADY_S have passed. One line of JSON
// on stdout. `seq_cst` makes every operation sequentially consistent: fewer executions, and a
// weaker claim.
//
// Relacy's threads are there from the start, so the starts and joins of the other tools are not in
// it.
#include <relacy/relacy.hpp>

// Its header makes these macros for the code under test; this is the program around it.
#undef new
#undef delete
#undef malloc
#undef calloc
#undef realloc
#undef free

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>

#include "measure.h"

namespace {

using overbite_bench::Found;
using overbite_bench::Stopwatch;

struct Orders {
  static constexpr rl::memory_order kLoad = rl::mo_acquire;
  static constexpr rl::memory_order kStore = rl::mo_release;
};
struct SeqCst {
  static constexpr rl::memory_order kLoad = rl::mo_seq_cst;
  static constexpr rl::memory_order kStore = rl::mo_seq_cst;
};

std::uint64_t executions;
double limit_s;
const Stopwatch* first;

// Relacy has no limit of its own. The clock is looked at seldom, because looking is a system call.
void execution_started() {
  if (++executions % 64 == 0 && first != nullptr && first->cpu_s() >= limit_s) {
    const double cpu_s = first->cpu_s();
    overbite_bench::print_line({.complete = false, .executions = executions},
                               cpu_s,
                               first->wall_s(),
                               static_cast<double>(executions) / cpu_s);
    _exit(0);  // in the middle of an execution: nothing of it may be unwound
  }
}

// Thread i stores to its own cell and loads its neighbour's.
template <int Threads, typename Order>
struct StoreBuffers : rl::test_suite<StoreBuffers<Threads, Order>, Threads> {
  rl::atomic<int> cells[Threads];

  void before() {
    execution_started();
    for (rl::atomic<int>& cell : cells) {
      cell.store(0, rl::mo_relaxed, $);
    }
  }
  void thread(unsigned i) {
    cells[i].store(1, Order::kStore, $);
    cells[(i + 1) % Threads].load(Order::kLoad, $);
  }
};

// Every thread counts `Rounds` times under one lock.
template <int Threads, int Rounds>
struct CounterWithLock : rl::test_suite<CounterWithLock<Threads, Rounds>, Threads> {
  rl::mutex mutex;
  rl::var<int> counter;

  void before() {
    execution_started();
    counter($) = 0;
  }
  void thread(unsigned) {
    for (int round = 0; round < Rounds; ++round) {
      mutex.lock($);
      counter($) = counter($) + 1;
      mutex.unlock($);
    }
  }
  void after() { RL_ASSERT(counter($) == Threads * Rounds); }
};

// One thread publishes plain data behind a flag; two look at the flag, and at the data if it is up.
template <typename Order>
struct PublishedToTwoReaders : rl::test_suite<PublishedToTwoReaders<Order>, 3> {
  rl::var<int> data;
  rl::atomic<int> flag;

  void before() {
    execution_started();
    data($) = 0;
    flag.store(0, rl::mo_relaxed, $);
  }
  void thread(unsigned i) {
    if (i == 0) {
      data($) = 1;
      flag.store(1, Order::kStore, $);
    } else if (flag.load(Order::kLoad, $) == 1) {
      RL_ASSERT(data($) == 1);
    }
  }
};

template <typename Test>
Found explored() {
  std::ostringstream unread;
  rl::test_params params;
  params.search_type = rl::sched_full;
  params.output_stream = &unread;
  params.progress_stream = &unread;
  executions = 0;
  if (!rl::simulate<Test>(params)) {
    std::fprintf(stderr, "relacy: %s\n", unread.str().c_str());
    std::exit(1);
  }
  return {.complete = true, .executions = executions};
}

template <typename Test>
void measure_test(double steady_s) {
  const Stopwatch cold;
  first = &cold;
  overbite_bench::measure(
      steady_s,
      [] {
        const Found found = explored<Test>();
        first = nullptr;
        return found;
      },
      explored<Test>);
}

template <typename Order>
bool measure_named(const std::string& test, double steady_s) {
  if (test == "sb2") {
    measure_test<StoreBuffers<2, Order>>(steady_s);
  } else if (test == "sb3") {
    measure_test<StoreBuffers<3, Order>>(steady_s);
  } else if (test == "mutex3x1") {
    measure_test<CounterWithLock<3, 1>>(steady_s);
  } else if (test == "mutex3x2") {
    measure_test<CounterWithLock<3, 2>>(steady_s);
  } else if (test == "mp3") {
    measure_test<PublishedToTwoReaders<Order>>(steady_s);
  } else {
    return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string orders = argc == 5 ? argv[1] : "";
  if (orders != "as-written" && orders != "seq_cst") {
    std::fprintf(stderr, "usage: relacy as-written|seq_cst TEST LIMIT_S STEADY_S\n");
    return 2;
  }
  limit_s = std::stod(argv[3]);
  const double steady_s = std::stod(argv[4]);
  const bool known = orders == "seq_cst" ? measure_named<SeqCst>(argv[2], steady_s)
                                         : measure_named<Orders>(argv[2], steady_s);
  return known ? 0 : 2;
}
