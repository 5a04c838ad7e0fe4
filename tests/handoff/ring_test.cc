#include "server/handoff/ring.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace overbite::handoff {
namespace {

Completion numbered(std::uint32_t n) { return {CompletionKind::kDone, {n, 1}, nullptr}; }

TEST(Ring, GivesEntriesBackInOrder) {
  CompletionRing ring(4);
  ASSERT_TRUE(ring.try_push(numbered(1)));
  ASSERT_TRUE(ring.try_push(numbered(2)));
  Completion out;
  ASSERT_TRUE(ring.try_pop(out));
  EXPECT_EQ(out.slot.index, 1u);
  ASSERT_TRUE(ring.try_pop(out));
  EXPECT_EQ(out.slot.index, 2u);
  EXPECT_FALSE(ring.try_pop(out));
}

TEST(Ring, RefusesWhenFullAndLeavesTheValueWithTheCaller) {
  SubmitRing ring(2);
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(ring.try_push(Job{}));
  }
  Job job;
  job.payload = std::make_unique<base::Payload>();
  EXPECT_FALSE(ring.try_push(std::move(job)));
  EXPECT_NE(job.payload, nullptr);
}

TEST(Ring, DestroysWhatIsLeftInside) {
  struct Counted : base::Payload {
    explicit Counted(int& n) : alive(n) { ++alive; }
    ~Counted() override { --alive; }
    int& alive;
  };
  int alive = 0;
  {
    SubmitRing ring(4);
    Job job;
    job.payload = std::make_unique<Counted>(alive);
    ASSERT_TRUE(ring.try_push(std::move(job)));
    EXPECT_EQ(alive, 1);
  }
  EXPECT_EQ(alive, 0);
}

TEST(Ring, LosesNothingBetweenThreads) {
  constexpr int kProducers = 3;
  constexpr std::uint32_t kEach = 20000;
  CompletionRing ring(64);
  std::vector<std::thread> producers;
  for (std::uint32_t p = 0; p < kProducers; ++p) {
    producers.emplace_back([&ring, p] {
      for (std::uint32_t i = 0; i < kEach; ++i) {
        while (!ring.try_push(Completion{CompletionKind::kDone, {p, i}, nullptr})) {
          std::this_thread::yield();
        }
      }
    });
  }
  std::vector<std::uint32_t> next(kProducers, 0);
  Completion out;
  for (std::uint32_t taken = 0; taken < kProducers * kEach;) {
    if (ring.try_pop(out)) {
      ASSERT_EQ(out.slot.generation, next[out.slot.index]) << "a producer's order was not kept";
      ++next[out.slot.index];
      ++taken;
    } else {
      std::this_thread::yield();
    }
  }
  for (std::thread& producer : producers) {
    producer.join();
  }
}

}  // namespace
}  // namespace overbite::handoff
