// Programs with published numbers of executions under sequential consistency: distinct combinations
// of program order, reads-from and modification order, a failed compare-exchange counting as a
// read. GenMC's and Nidhugg's test suites publish the numbers; the programs are in our own words.
#include <gtest/gtest.h>

#include <memory>
#include <mutex>

#include "ordering/scenario.h"
#include "ordering/tests/model.h"

namespace overbite::ordering {
namespace {

struct Litmus {
  const char* name;
  std::uint64_t expected;
  Body body;
  bool by_brute_force = true;  // few enough schedules to enumerate
};

std::uint64_t factorial(int n) {
  return n <= 1 ? 1 : static_cast<std::uint64_t>(n) * factorial(n - 1);
}

Body ring_of_store_buffers(int threads) {
  return [threads] {
    const Cells x(static_cast<std::size_t>(threads));
    std::vector<Body> bodies;
    for (int i = 0; i < threads; ++i) {
      bodies.push_back([&x, i, threads] {
        x[static_cast<std::size_t>(i)].store(1);
        x[static_cast<std::size_t>((i + 1) % threads)].load();
      });
    }
    in_parallel(bodies);
  };
}

Body increments(int threads, bool atomic) {
  return [threads, atomic] {
    const Cells x(1);
    const Body one = [&x, atomic] {
      if (atomic) {
        x[0].fetch_add(1);
      } else {
        x[0].store(x[0].load() + 1);
      }
    };
    in_parallel(std::vector<Body>(static_cast<std::size_t>(threads), one));
  };
}

Body readers(int count) {
  return [count] {
    const Cells x(1);
    std::vector<Body> bodies(static_cast<std::size_t>(count), [&x] { x[0].load(); });
    bodies.push_back([&x] { x[0].store(1); });
    in_parallel(bodies);
  };
}

Body one_winner(int threads) {
  return [threads] {
    const Cells x(1);
    std::vector<Body> bodies;
    for (int i = 1; i <= threads; ++i) {
      bodies.push_back([&x, i] {
        int expected = 0;
        x[0].compare_exchange_strong(expected, i);
      });
    }
    in_parallel(bodies);
  };
}

// A compare-exchange that may fail, and a store whatever came of it.
Body exchange_then_write(int threads) {
  return [threads] {
    const Cells x(1);
    std::vector<Body> bodies;
    for (int i = 1; i <= threads; ++i) {
      bodies.push_back([&x, i] {
        int expected = 0;
        x[0].compare_exchange_strong(expected, i);
        x[0].store(i);
      });
    }
    in_parallel(bodies);
  };
}

// Mutual exclusion by two flags and a turn. The waiting loop is one turn and an assumption.
Body peterson() {
  return [] {
    const Cells flag(2);
    const Cells turn(1);
    const auto inside = std::make_unique<int>(0);
    const auto enter = [&](std::size_t me) {
      const std::size_t peer = 1 - me;
      flag[me].store(1);
      turn[0].store(static_cast<int>(peer));
      assume(flag[peer].load() == 0 || turn[0].load() == static_cast<int>(me));
      ++*inside;  // a data race unless nobody else is here
      flag[me].store(0);
    };
    in_parallel({[&] { enter(0); }, [&] { enter(1); }});
  };
}

Body locked(int threads, int times) {
  return [threads, times] {
    std::mutex mutex;
    const Body one = [&mutex, times] {
      for (int i = 0; i < times; ++i) {
        const std::lock_guard lock(mutex);
      }
    };
    in_parallel(std::vector<Body>(static_cast<std::size_t>(threads), one));
  };
}

Body last_zero(int n) {
  return [n] {
    const Cells x(static_cast<std::size_t>(n) + 1);
    std::vector<Body> bodies;
    bodies.push_back([&x, n] {
      for (auto i = static_cast<std::size_t>(n); x[i].load() != 0; --i) {
      }
    });
    for (std::size_t i = 1; i <= static_cast<std::size_t>(n); ++i) {
      bodies.push_back([&x, i] { x[i].store(x[i - 1].load() + 1); });
    }
    in_parallel(bodies);
  };
}

// Each thread's operations, as words: "Wx1" stores 1 to x, "Rx" loads x.
Body threads_of(std::vector<std::vector<std::string>> programs) {
  return [programs] {
    const Cells cells(2);
    std::vector<Body> bodies;
    for (const auto& program : programs) {
      bodies.push_back([&cells, &program] {
        for (const std::string& word : program) {
          std::atomic<int>& cell = cells[word[1] == 'x' ? 0 : 1];
          if (word[0] == 'W') {
            cell.store(word[2] - '0');
          } else {
            cell.load();
          }
        }
      });
    }
    in_parallel(bodies);
  };
}

const std::vector<Litmus>& litmus() {
  static const std::vector<Litmus> all = {
      {"StoreBuffering", 3, threads_of({{"Wx1", "Ry"}, {"Wy1", "Rx"}})},
      {"MessagePassing", 3, threads_of({{"Wx1", "Wy1"}, {"Ry", "Rx"}})},
      {"LoadBuffering", 3, threads_of({{"Rx", "Wy1"}, {"Ry", "Wx1"}})},
      {"TwoPlusTwoWrites", 3, threads_of({{"Wx1", "Wy2"}, {"Wy1", "Wx2"}})},
      {"ShapeS", 3, threads_of({{"Wx2", "Wy1"}, {"Ry", "Wx1"}})},
      {"CoherenceOfReads", 6, threads_of({{"Wx1", "Wx2"}, {"Rx", "Rx"}})},
      {"IndependentReads", 15, threads_of({{"Wx1"}, {"Wy1"}, {"Rx", "Ry"}, {"Ry", "Rx"}})},
      {"StoreBufferingOfThree", 7, ring_of_store_buffers(3)},
      {"LoadThenStoreByTwo", 4, increments(2, false)},
      {"LoadThenStoreByThree", 36, increments(3, false)},
      {"FetchAddByTwo", 2, increments(2, true)},
      {"FetchAddByFour", factorial(4), increments(4, true)},
      {"FetchAddByFive", factorial(5), increments(5, true)},
      {"TwoReaders", 4, readers(2)},
      {"EightReaders", 256, readers(8), false},
      {"CompareExchangeByThree", 3, one_winner(3)},
      {"CompareExchangeByFive", 5, one_winner(5)},
      {"CompareExchangeAndWriteByTwo", 6, exchange_then_write(2)},
      {"CompareExchangeAndWriteByThree", 66, exchange_then_write(3)},
      {"CompareExchangeAndWriteByFour", 1200, exchange_then_write(4)},
      {"Peterson", 4, peterson()},
      {"MutexByThree", factorial(3), locked(3, 1)},
      {"MutexByFive", factorial(5), locked(5, 1), false},
      {"MutexByThreeTwice", 90, locked(3, 2), false},
      {"LastZeroOfThree", 12, last_zero(3)},
      {"LastZeroOfFive", 64, last_zero(5), false},
  };
  return all;
}

class LitmusTest : public testing::TestWithParam<std::size_t> {};

TEST_P(LitmusTest, HasThePublishedNumberOfExecutions) {
  const Litmus& program = litmus()[GetParam()];
  EXPECT_EQ(executions(program.body), program.expected);
  if (program.by_brute_force) {
    EXPECT_EQ(distinct_by_brute_force(program.body), program.expected);
  }
}

INSTANTIATE_TEST_SUITE_P(SequentiallyConsistent,
                         LitmusTest,
                         testing::Range(std::size_t{0}, litmus().size()),
                         [](const auto& parameter) { return litmus()[parameter.param].name; });

}  // namespace
}  // namespace overbite::ordering
