// Loops that wait by looking are waited for; loops that count their turns are run.
#include <gtest/gtest.h>

#include "ordering/scenario.h"
#include "ordering/tests/model.h"

extern "C" void __overbite_spin_turn();

namespace overbite::ordering {
namespace {

Body message_by_loop() {
  return [] {
    const Cells x(2);
    in_parallel({[&x] {
                   x[1].store(7);
                   x[0].store(1);
                 },
                 [&x] {
                   while (x[0].load() == 0) {
                   }
                   require(x[1].load() == 7, "the flag came without the message");
                 }});
  };
}

Body message_by_await() {
  return [] {
    const Cells x(2);
    in_parallel({[&x] {
                   x[1].store(7);
                   x[0].store(1);
                 },
                 [&x] {
                   await([&x] { return x[0].load() != 0; });
                   require(x[1].load() == 7, "the flag came without the message");
                 }});
  };
}

Body ticket_lock(int threads) {
  return [threads] {
    const Cells x(2);  // next ticket, now serving
    const auto inside = std::make_unique<int>(0);
    in_parallel(std::vector<Body>(static_cast<std::size_t>(threads), [&] {
      const int mine = x[0].fetch_add(1);
      while (x[1].load() != mine) {
      }
      ++*inside;
      x[1].store(mine + 1);
    }));
    require(*inside == threads, "not everybody was inside");
  };
}

Body exchange_lock(int threads) {
  return [threads] {
    const Cells x(1);
    const auto inside = std::make_unique<int>(0);
    in_parallel(std::vector<Body>(static_cast<std::size_t>(threads), [&] {
      int expected = 0;
      while (!x[0].compare_exchange_strong(expected, 1)) {
        expected = 0;
      }
      ++*inside;
      x[0].store(0);
    }));
    require(*inside == threads, "not everybody was inside");
  };
}

// Gives up after three looks: all three may be in vain.
Body three_looks() {
  return [] {
    const Cells x(2);
    in_parallel({[&x] { x[0].store(1); },
                 [&x] {
                   for (int turn = 0; turn < 3; ++turn) {
                     if (x[0].load() != 0) {
                       return;
                     }
                   }
                   x[1].store(1);
                 }});
  };
}

class SpinTest : public testing::TestWithParam<Model> {};

TEST_P(SpinTest, AWaitingLoopIsAnAwait) {
  EXPECT_EQ(executions(message_by_loop(), GetParam()), executions(message_by_await(), GetParam()));
}

TEST_P(SpinTest, LocksAreTakenInEveryOrder) {
  EXPECT_EQ(executions(ticket_lock(2), GetParam()), 2u);
  EXPECT_EQ(executions(ticket_lock(3), GetParam()), 6u);
  EXPECT_EQ(executions(exchange_lock(2), GetParam()), 2u);
}

TEST_P(SpinTest, ALoopThatCountsItsTurnsIsNoWait) {
  EXPECT_EQ(executions(three_looks(), GetParam()), 4u);
}

TEST_P(SpinTest, WaitingForWhatNeverComesIsADeadlock) {
  const Exploration found = explored(
      [] {
        const Cells x(1);
        in_parallel({[&x] {
          while (x[0].load() == 0) {
          }
        }});
      },
      {},
      GetParam());
  EXPECT_EQ(found.verdict, Verdict::kFail);
  EXPECT_EQ(found.failed.failure.kind, FailureKind::kDeadlock);
}

INSTANTIATE_TEST_SUITE_P(Models, SpinTest, testing::Values(Model::kSc, Model::kRc11));

// How a body may look before it waits, as libstdc++ 12 does: 16 times or once.
Body waits_behind_looks(int looks) {
  return [looks] {
    const Cells x(2);
    in_parallel({[&x] { x[0].store(1); },
                 [&x, looks] {
                   bool seen = false;
                   for (int turn = 0; turn < looks && !seen; ++turn) {
                     seen = x[0].load() != 0;
                     __overbite_spin_turn();
                   }
                   if (!seen) {
                     x[1].store(1);
                     await([&x] { return x[0].load() != 0; });
                   }
                 }});
  };
}

TEST(Spin, ACountedSpinThatSaysSoIsOneLook) {
  for (const Model model : {Model::kSc, Model::kRc11}) {
    EXPECT_EQ(executions(waits_behind_looks(16), model), executions(waits_behind_looks(1), model));
  }
  EXPECT_EQ(executions(waits_behind_looks(16)), distinct_by_brute_force(waits_behind_looks(16)));
}

TEST(Spin, BruteForceSeesAsManyExecutions) {
  for (const Body& body : {message_by_loop(), ticket_lock(2), exchange_lock(2), three_looks()}) {
    EXPECT_EQ(executions(body), distinct_by_brute_force(body));
  }
}

}  // namespace
}  // namespace overbite::ordering
