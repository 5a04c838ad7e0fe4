// Futexes, as the system call and as the standard library waits on them.
#include <gtest/gtest.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <cerrno>
#include <climits>
#include <ctime>
#include <latch>
#include <memory>
#include <semaphore>

#include "ordering/scenario.h"
#include "ordering/tests/generated.h"

namespace overbite::ordering {
namespace {

long futex(std::atomic<int>& word, int operation, int value, const timespec* timeout = nullptr) {
  return ::syscall(SYS_futex, &word, operation | FUTEX_PRIVATE_FLAG, value, timeout, nullptr, -1);
}

enum class Act {
  kStore,
  kIncrement,
  kLoad,
  kWait,
  kWaitFor,
  kWaitUntilNot,
  kWakeOne,
  kWakeTwo,
  kWakeAll,
  kCount
};

struct Op {
  Act act;
  bool other;  // which of two words
};

struct World {
  Cells words{2};
};

void perform(const Op& op, World& world) {
  const Cells& words = world.words;
  std::atomic<int>& word = words[op.other ? 1 : 0];
  switch (op.act) {
    case Act::kStore:
      word.store(1);
      break;
    case Act::kIncrement:
      word.fetch_add(1);
      break;
    case Act::kLoad:
      word.load();
      break;
    case Act::kWait:
      futex(word, FUTEX_WAIT, 0);
      break;
    case Act::kWaitFor: {
      const timespec time{0, op.other ? 5'000'000 : 3'000'000};
      futex(word, FUTEX_WAIT, 0, &time);
      break;
    }
    case Act::kWaitUntilNot:
      while (word.load() == 0) {
        futex(word, FUTEX_WAIT_BITSET, 0);
      }
      break;
    default:
      futex(word, FUTEX_WAKE, op.act == Act::kWakeOne ? 1 : op.act == Act::kWakeTwo ? 2 : INT_MAX);
      break;
  }
}

Generated<Op> futex_programs() {
  return {[](std::mt19937& random) {
            return small_program<Op>(random, [](std::mt19937& numbers) {
              return Op{static_cast<Act>(below(numbers, static_cast<unsigned>(Act::kCount))),
                        below(numbers, 3) == 0};
            });
          },
          in_world<World, Op>(&perform),
          [](const Op& op) {
            constexpr const char* kWords[] = {"store",
                                              "increment",
                                              "load",
                                              "wait",
                                              "wait-for",
                                              "wait-until-not",
                                              "wake-one",
                                              "wake-two",
                                              "wake-all"};
            static_assert(std::size(kWords) == static_cast<std::size_t>(Act::kCount));
            return std::string(kWords[static_cast<int>(op.act)]) + (op.other ? "'" : "");
          }};
}

TEST(GeneratedFutex, ReducedSearchEqualsBruteForce) {
  constexpr int kPrograms = 2000;
  const auto verdicts = futex_programs().expect_same(kPrograms, 20261206u);
  EXPECT_GT(verdicts.at(Verdict::kPass), kPrograms / 4);
  EXPECT_GT(verdicts.at(Verdict::kFail), kPrograms / 10);
}

TEST(GeneratedFutex, ReducedSearchEqualsBruteForceWithWakeUpsForNoReason) {
  auto programs = futex_programs();
  programs.limits.spurious = 1;
  programs.expect_same(500, 20261208u);
}

// Who waits on an atomic, whatever the orders it is stored and loaded with.
Body message(std::memory_order store, std::memory_order load) {
  return [store, load] {
    const Cells x(2);
    in_parallel({[&] {
                   x[1].store(7, std::memory_order_relaxed);
                   x[0].store(1, store);
                   x[0].notify_one();
                 },
                 [&] {
                   x[0].wait(0, load);
                   require(x[1].load(std::memory_order_relaxed) == 7, "too early");
                 }});
  };
}

TEST(Futex, AnAtomicIsWaitedForAndNotified) {
  const Body body = message(std::memory_order_seq_cst, std::memory_order_acquire);
  EXPECT_EQ(explored(body).reason, "");
  EXPECT_EQ(explored(body, {}, Model::kRc11).reason, "");
}

TEST(Futex, BeingWokenIsNoOrderOfMemory) {
  const Body body = message(std::memory_order_seq_cst, std::memory_order_relaxed);
  EXPECT_EQ(explored(body).reason, "");
  EXPECT_EQ(explored(body, {}, Model::kRc11).reason, "too early");
}

// libstdc++ 12 asks whether anybody waits with no fence behind what its caller stored.
TEST(Futex, ANotificationBehindAReleaseStoreMayBeLost) {
  const Body body = message(std::memory_order_release, std::memory_order_acquire);
  EXPECT_EQ(explored(body).reason, "");
  EXPECT_EQ(explored(body, {}, Model::kRc11).failed.failure.kind, FailureKind::kDeadlock);
}

TEST(Futex, ANotificationThatIsForgottenIsADeadlock) {
  const Exploration found = explored([] {
    const Cells x(1);
    in_parallel({[&x] { x[0].store(1); }, [&x] { x[0].wait(0); }});
  });
  EXPECT_EQ(found.failed.failure.kind, FailureKind::kDeadlock) << found.reason;
}

TEST(Futex, WhatTheLibraryCountsInStaticMemoryIsRestored) {
  const Exploration found = explored([] {
    static std::atomic<int> count = 1;
    const Cells x(1);
    in_parallel({[&x] { x[0].store(1); }, [&x] { x[0].load(); }});
    require(count.fetch_add(1) == 1, "not as at first");
  });
  EXPECT_EQ(found.reason, "");
  EXPECT_EQ(found.executions, 2u);
}

// Two threads that meet.
void meet_at_a_latch() {
  const auto both_there = std::make_unique<std::latch>(2);
  const auto said = std::make_unique<int[]>(2);
  const auto meet = [&](int me) {
    said[me] = 1;
    both_there->arrive_and_wait();
    require(said[1 - me] == 1, "alone");
  };
  in_parallel({[&] { meet(0); }, [&] { meet(1); }});
}

void meet_at_a_barrier() {
  const auto meeting = std::make_unique<std::barrier<>>(2);
  in_parallel(std::vector<Body>(2, [&meeting] { meeting->arrive_and_wait(); }));
}

TEST(Futex, TwoThreadsMeetAtABarrier) {
  EXPECT_EQ(explored(meet_at_a_barrier).reason, "");
  EXPECT_EQ(explored(meet_at_a_barrier, {}, Model::kRc11).reason, "");
}

// As above: the latch of libstdc++ 12 counts down with a release.
TEST(Futex, TwoThreadsMeetAtALatchIfMemoryIsSequentiallyConsistent) {
  EXPECT_EQ(explored(meet_at_a_latch).reason, "");
  EXPECT_EQ(explored(meet_at_a_latch, {}, Model::kRc11).failed.failure.kind,
            FailureKind::kDeadlock);
}

// 16 looks before each wait are one: see headers/bits/atomic_wait.h. Otherwise this never ends.
TEST(Futex, ThreeThreadsMeetAtALatch) {
  const Exploration found = explored([] {
    const auto all_there = std::make_unique<std::latch>(3);
    in_parallel(std::vector<Body>(3, [&all_there] { all_there->arrive_and_wait(); }));
  });
  EXPECT_EQ(found.verdict, Verdict::kPass) << found.reason;
}

// A bug of libstdc++ 12 (104928): who reads 1, loses it, and goes to sleep when it is 1 again has
// the kernel compare with that 1.
TEST(Futex, ASemaphoreOfTheLibraryMaySleepForEver) {
  const Exploration found = explored([] {
    const auto semaphore = std::make_unique<std::counting_semaphore<100>>(1);
    in_parallel(std::vector<Body>(2, [&semaphore] {
      semaphore->acquire();
      semaphore->release();
    }));
  });
  EXPECT_EQ(found.failed.failure.kind, FailureKind::kDeadlock) << found.reason;
}

}  // namespace
}  // namespace overbite::ordering
