// The tests under our explorer: model code, compiled like every program it explores.
//
// usage: ours sc|rc11 TEST STEADY_S
// One exploration of TEST from a cold start, then the same again until STEADY_S seconds of
// processor time have passed. One line of JSON on stdout. A search that does not end is ended by
// the caller.
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "measure.h"
#include "ordering/explore/explorer.h"
#include "ordering/scenario.h"

namespace {

using overbite::ordering::Exploration;
using overbite::ordering::ExploreLimits;
using overbite::ordering::Machine;
using overbite::ordering::Model;
using overbite::ordering::require;
using Body = std::function<void()>;
constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kRelease = std::memory_order_release;
constexpr auto kRelaxed = std::memory_order_relaxed;

// of(0), of(1), ..., a thread each. What they share is static, as in the C programs these tests
// stand for; the explorer puts static atomics back before each execution.
template <typename Of>
void in_parallel(std::size_t count, Of) {
  pthread_t threads[16];
  for (std::size_t i = 0; i < count; ++i) {
    const auto entry = [](void* number) -> void* {
      Of{}(reinterpret_cast<std::size_t>(number));
      return nullptr;
    };
    pthread_create(&threads[i], nullptr, entry, reinterpret_cast<void*>(i));
  }
  for (std::size_t i = 0; i < count; ++i) {
    pthread_join(threads[i], nullptr);
  }
}

// --- the tests that every tool runs
// ---------------------------------------------------------------

// Thread i stores to its own cell and loads its neighbour's.
template <std::size_t threads>
void store_buffers() {
  static std::atomic<int> cells[threads];
  in_parallel(threads, [](std::size_t i) {
    cells[i].store(1, kRelease);
    cells[(i + 1) % threads].load(kAcquire);
  });
}

// Every thread counts `rounds` times under one lock.
template <int threads, int rounds>
void counter_with_lock() {
  static std::mutex mutex;
  static int counter;
  std::construct_at(&mutex);
  counter = 0;
  in_parallel(threads, [](std::size_t) {
    for (int round = 0; round < rounds; ++round) {
      const std::scoped_lock lock(mutex);
      ++counter;
    }
  });
  require(counter == threads * rounds, "a count is lost");
}

// One thread publishes plain data behind a flag; two look at the flag, and at the data if it is up.
void published_to_two_readers() {
  static int data;
  static std::atomic<int> flag;
  data = 0;
  in_parallel(3, [](std::size_t i) {
    if (i == 0) {
      data = 1;
      flag.store(1, kRelease);
    } else if (flag.load(kAcquire) == 1) {
      require(data == 1, "the flag is up and the data is not there");
    }
  });
}

// --- the shapes of five of GenMC's tests, in our own words
// ----------------------------------------

// Two threads add the one's number to the other's, five times each; a third sees no number that
// five rounds cannot reach.
void fibonacci_race() {
  static std::atomic<int> a{1};
  static std::atomic<int> b{1};
  in_parallel(3, [](std::size_t i) {
    constexpr int kRounds = 5;
    constexpr int kLargest = 144;
    if (i == 2) {
      require(a.load(kAcquire) <= kLargest && b.load(kAcquire) <= kLargest, "too large");
      return;
    }
    for (int round = 0; round < kRounds; ++round) {
      const int sum_of_a = a.load(kAcquire);
      const int sum = sum_of_a + b.load(kAcquire);
      (i == 0 ? a : b).store(sum, kRelease);
    }
  });
}

// `writers` threads set each cell to one more than the cell below it; one thread looks for the last
// cell that is zero, from above.
template <std::size_t writers>
void last_zero() {
  static std::atomic<int> cells[writers + 1];
  in_parallel(writers + 1, [](std::size_t i) {
    if (i > 0) {
      cells[i].store(cells[i - 1].load(kAcquire) + 1, kRelease);
      return;
    }
    std::size_t at = writers;
    while (cells[at].load(kAcquire) != 0) {
      --at;
    }
  });
}

// Each thread puts four numbers into a table of 128, each at seven times itself or, where that is
// taken, behind it.
void hash_table_inserts() {
  constexpr std::size_t kThreads = 15;
  static std::atomic<int> table[128];
  in_parallel(kThreads, [](std::size_t thread) {
    constexpr std::size_t kEach = 4;
    for (std::size_t i = 0; i < kEach; ++i) {
      const std::size_t number = i * 11 + thread;
      std::size_t place = number * 7 % std::size(table);
      int empty = 0;
      while (!table[place].compare_exchange_strong(empty, static_cast<int>(number), kRelaxed)) {
        place = (place + 1) % std::size(table);
        empty = 0;
      }
    }
  });
}

// Each thread adds one with a load and a store, under one lock.
void increments_with_lock() {
  constexpr std::size_t kThreads = 7;
  static std::mutex mutex;
  static std::atomic<int> counter;
  std::construct_at(&mutex);
  in_parallel(kThreads, [](std::size_t) {
    const std::scoped_lock lock(mutex);
    counter.store(counter.load(kRelaxed) + 1, kRelaxed);
  });
}

// Two threads write 1, 2, 3 to two cells each, in turn; one reads all four and then three again,
// one reads three.
void writers_and_readers() {
  static std::atomic<int> cells[4];
  in_parallel(4, [](std::size_t thread) {
    if (thread < 2) {
      const std::size_t reads = thread == 0 ? 7 : 3;
      for (std::size_t i = 0; i < reads; ++i) {
        cells[i % std::size(cells)].load(kAcquire);
      }
      return;
    }
    const std::size_t first = (thread - 2) * 2;
    for (int value = 1; value <= 3; ++value) {
      cells[first].store(value, kRelease);
      cells[first + 1].store(value, kRelease);
    }
  });
}

Body body_of(const std::string& test) {
  const std::map<std::string, Body> bodies{
      {"sb2", store_buffers<2>},
      {"sb3", store_buffers<3>},
      {"mutex3x1", counter_with_lock<3, 1>},
      {"mutex3x2", counter_with_lock<3, 2>},
      {"mp3", published_to_two_readers},
      {"fib_bench", fibonacci_race},
      {"lastzero 15", last_zero<15>},
      {"indexer 15", hash_table_inserts},
      {"lockinc 7", increments_with_lock},
      {"big0", writers_and_readers},
  };
  const auto found = bodies.find(test);
  return found == bodies.end() ? Body{} : found->second;
}

overbite_bench::Found explored(Machine& machine, const Body& body, Model model) {
  const ExploreLimits limits{.executions_max = std::numeric_limits<std::uint64_t>::max()};
  const Exploration found = overbite::ordering::explore_all(machine, body, model, limits);
  if (found.verdict != overbite::ordering::Verdict::kPass) {
    std::fprintf(stderr, "ours: %s\n", found.reason.c_str());
    std::exit(1);
  }
  return {.complete = true, .executions = found.executions, .cut = found.cut};
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const bool known = arguments.size() == 3 && (arguments[0] == "sc" || arguments[0] == "rc11");
  const Body body = known ? body_of(arguments[1]) : Body{};
  if (!body) {
    std::fprintf(stderr, "usage: ours sc|rc11 TEST STEADY_S\n");
    return 2;
  }
  const Model model = arguments[0] == "sc" ? Model::kSc : Model::kRc11;
  std::unique_ptr<Machine> machine;
  overbite_bench::measure(
      std::stod(arguments[2]),
      [&] {
        machine = std::make_unique<Machine>();
        return explored(*machine, body, model);
      },
      [&] { return explored(*machine, body, model); });
  return 0;
}
