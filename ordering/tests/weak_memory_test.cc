// What the memory model lets a thread see: published numbers of executions under RC11, and the
// plain data that an order of atomics hands over, or does not.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>

#include "ordering/scenario.h"
#include "ordering/tests/model.h"

namespace overbite::ordering {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kRelease = std::memory_order_release;
constexpr auto kSeqCst = std::memory_order_seq_cst;

Body store_buffers(std::memory_order order, bool fences) {
  return [order, fences] {
    const Cells x(2);
    const auto one = [&x, order, fences](std::size_t own) {
      x[own].store(1, order);
      if (fences) {
        std::atomic_thread_fence(kSeqCst);
      }
      x[1 - own].load(order);
    };
    in_parallel({[&] { one(0); }, [&] { one(1); }});
  };
}

// One thread writes plain data and says so with `publish`; the other looks at that with `observe`,
// which returns whether it saw it, and reads the data.
Exploration message(const std::function<void(std::atomic<int>&)>& publish,
                    const std::function<bool(std::atomic<int>&)>& observe) {
  return explored(
      [&] {
        const Cells flag(1);
        const auto data = std::make_unique<int>(0);
        in_parallel({[&] {
                       *data = 1;
                       publish(flag[0]);
                     },
                     [&] {
                       if (observe(flag[0])) {
                         require(*data == 1, "the data is old");
                       }
                     }});
      },
      {},
      Model::kRc11);
}

FailureKind kind_of(const Exploration& found) { return found.failed.failure.kind; }

TEST(WeakMemory, StoreBuffersAreSeenUnlessSequentiallyConsistent) {
  EXPECT_EQ(executions(store_buffers(kRelaxed, false), Model::kRc11), 4U);
  EXPECT_EQ(executions(store_buffers(kSeqCst, false), Model::kRc11), 3U);
}

TEST(WeakMemory, FencesForbidStoreBuffers) {
  EXPECT_EQ(executions(store_buffers(kRelaxed, true), Model::kRc11), 3U);
}

// Lahav and others (2017), section 3.3: happens-before between two sequentially consistent
// accesses orders them if it begins and ends in program order.
TEST(WeakMemory, ReleaseAndAcquireOrderWhatIsAroundThem) {
  const Exploration found = explored(
      [] {
        const Cells x(3);
        int y = 0;
        int z = 1;
        int back = 1;
        in_parallel({[&] {
                       x[0].store(1, kSeqCst);
                       x[1].store(1, kRelease);
                     },
                     [&] {
                       y = x[1].load(kAcquire);
                       z = x[2].load(kSeqCst);
                     },
                     [&] {
                       x[2].store(1, kSeqCst);
                       back = x[0].load(kSeqCst);
                     }});
        require(y == 0 || z == 1 || back == 1, "the orders of x and z contradict each other");
      },
      {},
      Model::kRc11);
  EXPECT_EQ(found.verdict, Verdict::kPass) << found.reason;
}

// The same, section 3.4: what a third thread read stands between two fences.
TEST(WeakMemory, FencesOrderWhatOthersHaveWritten) {
  const Exploration found = explored(
      [] {
        const Cells x(2);
        int seen = 0;
        int y = 1;
        int back = 1;
        in_parallel({[&] { x[0].store(1, kRelaxed); },
                     [&] {
                       seen = x[0].load(kRelaxed);
                       std::atomic_thread_fence(kSeqCst);
                       y = x[1].load(kRelaxed);
                     },
                     [&] {
                       x[1].store(1, kRelaxed);
                       std::atomic_thread_fence(kSeqCst);
                       back = x[0].load(kRelaxed);
                     }});
        require(seen == 0 || y == 1 || back == 1, "the fences contradict each other");
      },
      {},
      Model::kRc11);
  EXPECT_EQ(found.verdict, Verdict::kPass) << found.reason;
}

TEST(WeakMemory, NobodyGoesBackBehindWhatItRead) {
  const Body body = [] {
    const Cells x(1);
    in_parallel({[&] {
                   x[0].store(1, kRelaxed);
                   x[0].store(2, kRelaxed);
                 },
                 [&] {
                   x[0].load(kRelaxed);
                   x[0].load(kRelaxed);
                 }});
  };
  EXPECT_EQ(executions(body, Model::kRc11), 6U);
}

TEST(WeakMemory, AReleaseHandsDataToAnAcquire) {
  const Exploration found = message([](auto& flag) { flag.store(1, kRelease); },
                                    [](auto& flag) { return flag.load(kAcquire) == 1; });
  EXPECT_EQ(found.verdict, Verdict::kPass) << found.reason;
}

TEST(WeakMemory, ARelaxedStoreHandsNothingOver) {
  const Exploration found = message([](auto& flag) { flag.store(1, kRelaxed); },
                                    [](auto& flag) { return flag.load(kAcquire) == 1; });
  EXPECT_EQ(kind_of(found), FailureKind::kDataRace) << "a relaxed store was taken for a release";
}

TEST(WeakMemory, FencesHandDataOverARelaxedFlag) {
  const Exploration found = message(
      [](auto& flag) {
        std::atomic_thread_fence(kRelease);
        flag.store(1, kRelaxed);
      },
      [](auto& flag) {
        const bool seen = flag.load(kRelaxed) == 1;
        std::atomic_thread_fence(kAcquire);
        return seen;
      });
  EXPECT_EQ(found.verdict, Verdict::kPass) << found.reason;
}

TEST(WeakMemory, AReleaseSequenceGoesOnThroughAReadModifyWrite) {
  const Exploration found = message([](auto& flag) { flag.store(1, kRelease); },
                                    [](auto& flag) {
                                      std::thread other([&] { flag.fetch_add(2, kRelaxed); });
                                      const bool seen = flag.load(kAcquire) == 3;
                                      other.join();
                                      return seen;
                                    });
  EXPECT_EQ(found.verdict, Verdict::kPass) << found.reason;
}

TEST(WeakMemory, ACompareExchangeThatFailsHasAnOrderOfItsOwn) {
  const Exploration found =
      message([](auto& flag) { flag.store(1, kRelease); },
              [](auto& flag) {
                int expected = 0;
                return !flag.compare_exchange_strong(expected, 0, kAcquire, kRelaxed);
              });
  EXPECT_EQ(kind_of(found), FailureKind::kDataRace) << "a failed attempt was taken for an acquire";
}

}  // namespace
}  // namespace overbite::ordering
