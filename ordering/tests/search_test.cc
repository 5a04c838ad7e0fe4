// Searches that see a part: bounded by preemptions, drawn at random, or one shard of the whole.
#include <gtest/gtest.h>

#include "ordering/explore/samples.h"
#include "ordering/scenario.h"
#include "ordering/tests/model.h"

namespace overbite::ordering {
namespace {

constexpr auto kRelaxedOrder = std::memory_order_relaxed;

Body store_buffering() {
  return [] {
    const Cells x(2);
    in_parallel({[&x] {
                   x[0].store(1);
                   x[1].load();
                 },
                 [&x] {
                   x[1].store(1);
                   x[0].load();
                 }});
  };
}

Body two_by_two_writes() {
  return [] {
    const Cells x(2);
    in_parallel({[&x] {
                   x[0].store(1);
                   x[1].store(2);
                 },
                 [&x] {
                   x[1].store(1);
                   x[0].store(2);
                 }});
  };
}

Body increments(int threads) {
  return [threads] {
    const Cells x(1);
    in_parallel(std::vector<Body>(static_cast<std::size_t>(threads), [&x] {
      const int seen = x[0].load();
      x[0].store(seen + 1);
    }));
  };
}

Body exchanges_and_writes(int threads) {
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

Body lost_update() {
  return [] {
    const Cells x(1);
    const Body one = [&x] { x[0].store(x[0].load() + 1); };
    in_parallel({one, one});
    require(x[0].load(kRelaxedOrder) == 2, "an update was lost");
  };
}

std::vector<std::size_t> distinct_by_bound(const Body& body, int bounds) {
  std::vector<std::size_t> counts;
  for (int bound = 0; bound < bounds; ++bound) {
    Machine machine;
    BruteForce search(machine, bound);
    EXPECT_EQ(explore(machine, body, search, {}).verdict, Verdict::kPass);
    counts.push_back(search.distinct());
  }
  return counts;
}

// GenMC's expected.cb.in: executions that exist with at most 0, 1, 2, ... preemptions.
TEST(PreemptionBound, SeesThePublishedNumberOfExecutions) {
  using Counts = std::vector<std::size_t>;
  EXPECT_EQ(distinct_by_bound(store_buffering(), 2), (Counts{2, 3}));
  EXPECT_EQ(distinct_by_bound(two_by_two_writes(), 2), (Counts{2, 3}));
  EXPECT_EQ(distinct_by_bound(increments(4), 4), (Counts{24, 168, 432, 576}));
  EXPECT_EQ(distinct_by_bound(exchanges_and_writes(4), 5), (Counts{24, 168, 576, 1056, 1200}));
}

TEST(Shards, TogetherSeeAllOfIt) {
  for (const Body& body : {store_buffering(), increments(4), exchanges_and_writes(3)}) {
    for (const Model model : {Model::kSc, Model::kRc11}) {
      Machine machine;
      const std::uint64_t whole = explore_all(machine, body, model, {}).executions;
      for (const int count : {2, 3, 5}) {
        std::uint64_t sum = 0;
        for (int number = 0; number < count; ++number) {
          sum += explore_all(machine, body, model, {}, {number, count}).executions;
        }
        EXPECT_EQ(sum, whole) << count << " shards";
      }
    }
  }
}

TEST(Samples, PctFindsALostUpdateWithinItsChance) {
  Machine machine;
  Pct search(machine, 2, 2000, 1);
  const Exploration found = explore(machine, lost_update(), search, {});
  EXPECT_EQ(found.verdict, Verdict::kFail);
  EXPECT_GT(search.chance(), 1.0 / 100);
}

TEST(Samples, ARandomWalkFindsALostUpdate) {
  Machine machine;
  RandomWalk search(machine, 2000, 1);
  EXPECT_EQ(explore(machine, lost_update(), search, {}).verdict, Verdict::kFail);
}

TEST(Samples, TheSameSeedDrawsTheSameRuns) {
  std::vector<std::uint64_t> executions;
  for (int i = 0; i < 2; ++i) {
    Machine machine;
    RandomWalk search(machine, 2000, 7);
    executions.push_back(explore(machine, lost_update(), search, {}).executions);
  }
  EXPECT_EQ(executions[0], executions[1]);
}

}  // namespace
}  // namespace overbite::ordering
