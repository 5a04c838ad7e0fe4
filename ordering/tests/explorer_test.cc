// What the explorer says of programs that are wrong, too large, or not modelled.
#include <gtest/gtest.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "ordering/scenario.h"
#include "ordering/tests/model.h"

namespace overbite::ordering {
namespace {

TEST(Explorer, FindsALostUpdate) {
  const Exploration found = explored([] {
    const Cells x(1);
    const Body one = [&x] { x[0].store(x[0].load() + 1); };
    in_parallel({one, one});
    require(x[0].load() == 2, "an update was lost");
  });
  EXPECT_EQ(found.verdict, Verdict::kFail);
  EXPECT_EQ(found.failed.failure.kind, FailureKind::kRequirement);
  EXPECT_NE(found.reason.find("an update was lost"), std::string::npos) << found.reason;
}

TEST(Explorer, FindsADataRace) {
  const Exploration found = explored([] {
    const auto cell = std::make_unique<int>(0);
    in_parallel({[&cell] { *cell = 1; }, [&cell] { *cell = 2; }});
  });
  EXPECT_EQ(found.verdict, Verdict::kFail);
  EXPECT_EQ(found.failed.failure.kind, FailureKind::kDataRace);
}

// Threads that run one after the other; whose access comes first must not matter.
TEST(Explorer, FindsAWriteThatRacesWithAReadBeforeIt) {
  const Exploration found = explored([] {
    const auto cell = std::make_unique<int>(0);
    const auto copy = std::make_unique<int>(0);
    in_parallel({[&] { *copy = *cell; }, [&] { *cell = 1; }});
  });
  EXPECT_EQ(found.failed.failure.kind, FailureKind::kDataRace) << "the read was forgotten";
}

// What one thread alone has touched is not recorded until somebody else comes.
TEST(Explorer, FindsARaceWithTheThreadThatOwnsTheMemory) {
  const Exploration found = explored([] {
    const auto cell = std::make_unique<int>(0);
    std::thread other([&] { *cell = 1; });
    *cell = 2;
    other.join();
  });
  EXPECT_EQ(found.failed.failure.kind, FailureKind::kDataRace) << "the owner was not recorded";
}

TEST(Explorer, FindsAPlainWriteThatRacesWithAnAtomicRead) {
  const Exploration found = explored([] {
    const Cells x(1);
    in_parallel({[&] { x[0].load(); }, [&] { *reinterpret_cast<int*>(&x[0]) = 1; }});
  });
  EXPECT_EQ(found.failed.failure.kind, FailureKind::kDataRace) << "the atomic read was forgotten";
}

TEST(Explorer, FindsAnUnlockByAThreadThatDoesNotHoldIt) {
  const Exploration found = explored([] {
    std::mutex mutex;
    std::thread other([&] { mutex.unlock(); });
    other.join();
  });
  EXPECT_EQ(found.failed.failure.kind, FailureKind::kCrash) << "the unlock was let through";
}

TEST(Explorer, AMutexOrdersPlainData) {
  const Exploration found = explored([] {
    std::mutex mutex;
    const auto cell = std::make_unique<int>(0);
    const Body one = [&] {
      const std::lock_guard lock(mutex);
      ++*cell;
    };
    in_parallel({one, one});
    require(*cell == 2, "an increment was lost");
  });
  EXPECT_EQ(found.verdict, Verdict::kPass) << found.reason;
}

TEST(Explorer, FindsADeadlockOfTwoLocks) {
  const Exploration found = explored([] {
    std::mutex a;
    std::mutex b;
    in_parallel({[&] {
                   const std::lock_guard first(a);
                   const std::lock_guard second(b);
                 },
                 [&] {
                   const std::lock_guard first(b);
                   const std::lock_guard second(a);
                 }});
  });
  EXPECT_EQ(found.verdict, Verdict::kFail);
  EXPECT_EQ(found.failed.failure.kind, FailureKind::kDeadlock);
}

TEST(Explorer, FindsALostNotification) {
  const Exploration found = explored([] {
    std::mutex mutex;
    std::condition_variable changed;
    const Cells ready(1);
    in_parallel({[&] {
                   if (ready[0].load() == 0) {  // outside the lock: the notification may come now
                     std::unique_lock lock(mutex);
                     changed.wait(lock);
                   }
                 },
                 [&] {
                   ready[0].store(1);
                   changed.notify_one();
                 }});
  });
  EXPECT_EQ(found.verdict, Verdict::kFail);
  EXPECT_EQ(found.failed.failure.kind, FailureKind::kDeadlock);
}

// Two wait; which of them is woken is open.
TEST(Explorer, ANotificationMayWakeAnyOfThoseWhoWait) {
  const Exploration found = explored([] {
    std::mutex mutex;
    std::condition_variable changed;
    bool is_open = false;
    int waiting = 0;
    int first = 0;
    const auto one = [&](int name) {
      std::unique_lock lock(mutex);
      ++waiting;
      changed.wait(lock);
      first = first == 0 ? name : first;
      require(first != 2 || !is_open, "the second was woken first");
      changed.notify_one();
    };
    in_parallel({[&] { one(1); },
                 [&] { one(2); },
                 [&] {
                   const std::lock_guard lock(mutex);
                   assume(waiting == 2);
                   is_open = true;
                   changed.notify_one();
                 }});
  });
  EXPECT_EQ(found.reason, "the second was woken first");
}

// A time-out comes when nothing else can, so who fails to get the lock does so before it.
TEST(Explorer, ATimeOutComesBehindAllThatCouldBeDone) {
  const Body body = [] {
    std::mutex mutex;
    std::condition_variable changed;
    in_parallel({[&] {
                   std::unique_lock lock(mutex);
                   changed.wait_for(lock, std::chrono::milliseconds(5));
                 },
                 [&] { (void)std::unique_lock(mutex, std::try_to_lock); }});
  };
  EXPECT_EQ(executions(body), distinct_by_brute_force(body)) << "a time-out came too early";
}

struct Event {
  int descriptor = ::eventfd(0, EFD_NONBLOCK);
  void add() const {
    const std::uint64_t value = 1;
    EXPECT_EQ(::write(descriptor, &value, sizeof value), 8);
  }
  void take() const {
    std::uint64_t value = 0;
    (void)!::read(descriptor, &value, sizeof value);
  }
  void wait(int timeout_ms) const { wait_with(*this, timeout_ms); }
  void wait_with(const Event& other, int timeout_ms) const {
    pollfd entries[] = {{descriptor, POLLIN, 0}, {other.descriptor, POLLIN, 0}};
    ::poll(entries, &other == this ? 1 : 2, timeout_ms);
  }
};

// What was added and taken again may wake who looks in between, and nobody else.
TEST(Explorer, AnEventThatIsGoneAgainWakesOnlyWhoSawIt) {
  const Body body = [] {
    const Event event;
    const Event never;
    in_parallel({[&] {
                   event.wait_with(never, 5);
                   never.take();
                 },
                 [&] {
                   event.add();
                   event.take();
                 }});
  };
  EXPECT_EQ(executions(body), distinct_by_brute_force(body)) << "an event was seen too late";
}

TEST(Explorer, WhoSawAnEventGoesOnBeforeATimeOut) {
  const Body body = [] {
    const Event never;
    const Event event;
    const Cells x(1);
    in_parallel({[&] {
                   never.wait(5);
                   x[0].load();
                   event.add();
                 },
                 [&] {
                   event.add();
                   event.take();
                 },
                 [&] {
                   event.wait(-1);
                   x[0].store(1);
                 }});
  };
  EXPECT_EQ(executions(body), distinct_by_brute_force(body)) << "a time-out came too early";
}

TEST(Explorer, WhoComesSecondWaitsUntilItWasDoneOnce) {
  const Exploration found = explored([] {
    static int* data = nullptr;
    const auto cell = std::make_unique<int>(0);
    data = cell.get();
    pthread_once_t once = PTHREAD_ONCE_INIT;
    const Body one = [&] {
      ::pthread_once(&once, [] { *data = 1; });
      require(*cell == 1, "it was not done");
    };
    in_parallel({one, one});
  });
  EXPECT_EQ(found.verdict, Verdict::kPass) << found.reason;
}

TEST(Explorer, ACapIsNeverAPass) {
  const Body body = [] {
    const Cells x(1);
    const Body one = [&x] { x[0].fetch_add(1); };
    in_parallel({one, one, one, one});
  };
  const Exploration few = explored(body, {.executions_max = 5});
  EXPECT_EQ(few.verdict, Verdict::kIncomplete);
  EXPECT_FALSE(few.reason.empty());
  const Exploration brief = explored(body, {.steps_max = 3});
  EXPECT_EQ(brief.verdict, Verdict::kIncomplete) << brief.reason;
}

static int deeper(std::atomic<int>& depth) {
  volatile char frame[500] = {};
  frame[0] = 1;
  return depth.fetch_add(1) < 0 ? 0 : deeper(depth) + frame[0];
}

// Also where the explorer itself, called by the body, is what touches the end of the stack.
TEST(Explorer, AStackThatIsUsedUpIsAFailureOfTheBody) {
  const Exploration found = explored([] {
    const Cells depth(1);
    deeper(depth[0]);
  });
  EXPECT_EQ(found.verdict, Verdict::kFail);
  EXPECT_NE(found.reason.find("stack overflow"), std::string::npos) << found.reason;
}

// Clocks count to 32767.
TEST(Explorer, AThreadOfMoreOperationsThanAClockCountsIsIncomplete) {
  const Exploration found = explored(
      [] {
        const Cells x(1);
        for (int i = 0; i < 17'000; ++i) {
          x[0].fetch_add(1);
        }
      },
      {.steps_max = 100'000});
  EXPECT_EQ(found.verdict, Verdict::kIncomplete) << found.reason;
}

TEST(Explorer, ALoopWithoutAnOperationEndsTheExploration) {
  const Exploration found = explored([] {
    const Cells x(1);
    x[0].store(1);
    for (volatile int turns = 0; true; turns = turns + 1) {
    }
  });
  EXPECT_EQ(found.verdict, Verdict::kFail);
  EXPECT_NE(found.reason.find("endless loop"), std::string::npos) << found.reason;
}

TEST(Explorer, TwoAtomicsOfDifferentSizesAtOnePlaceAreRefused) {
  const Exploration found = explored([] {
    const auto whole = std::make_unique<std::atomic<std::uint64_t>>(0);
    whole->store(1);
    __atomic_fetch_add(reinterpret_cast<std::uint32_t*>(whole.get()) + 1, 1, __ATOMIC_SEQ_CST);
  });
  EXPECT_EQ(found.verdict, Verdict::kStopped) << "half of an atomic counts as another";
  EXPECT_NE(found.reason.find("atomics of 8 and of 4 bytes at one place"), std::string::npos);
}

// What lies at an address depends on what its thread did before.
TEST(Explorer, MemoryMayHoldAtomicsOfDifferentSizesInDifferentExecutions) {
  const Exploration found = explored([] {
    const Cells x(1);
    in_parallel({[&x] { x[0].store(1); },
                 [&x] {
                   if (x[0].load() == 1) {
                     std::make_unique<std::atomic<std::uint64_t>>(0)->store(1);
                   } else {
                     std::make_unique<std::atomic<std::uint8_t>>(std::uint8_t{0})->store(1);
                   }
                 }});
  });
  EXPECT_EQ(found.verdict, Verdict::kPass) << found.reason;
  EXPECT_EQ(found.executions, 2U);
}

TEST(Explorer, ACallThatIsNotModelledIsNamed) {
  const Exploration found = explored([] { ::pause(); });
  EXPECT_EQ(found.verdict, Verdict::kStopped);
  EXPECT_NE(found.reason.find("pause"), std::string::npos) << found.reason;
}

TEST(Explorer, ARunThatSawNothingIsNoPass) {
  EXPECT_EQ(explored([] {}).verdict, Verdict::kNotArmed);
}

}  // namespace
}  // namespace overbite::ordering
