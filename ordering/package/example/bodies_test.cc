#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>

#include "overbite/ordering.h"

namespace {

using namespace overbite::ordering;

// Message passing; `publish` is the order of the store that says so.
void pass_message(std::memory_order publish) {
  std::atomic<int> data = 0;
  std::atomic<int> ready = 0;
  name(ready, "ready");
  std::thread writer([&] {
    data.store(1, std::memory_order_relaxed);
    ready.store(1, publish);
  });
  await([&] { return ready.load(std::memory_order_acquire) == 1; });
  require(data.load(std::memory_order_relaxed) == 1, "the flag came before the data");
  writer.join();
}

TEST(Bodies, PassUnderBothModels) {
  const Explored found = explore([] { pass_message(std::memory_order_release); });
  EXPECT_TRUE(found.passed()) << found.text();
  EXPECT_GE(found.sc.executions, 1U);
  EXPECT_GE(found.rc11.executions, found.sc.executions);
  EXPECT_EQ(found.text(), "");
}

TEST(Bodies, FailUnderTheWeakModelOnlyWithATimelineAndAReplayString) {
  const auto body = [] { pass_message(std::memory_order_relaxed); };
  EXPECT_TRUE(explore(body, {.models = Models::kSc}).passed());
  const Explored found = explore(body);
  EXPECT_EQ(found.outcome, Outcome::kFail);
  EXPECT_EQ(found.message, "the flag came before the data");
  EXPECT_NE(found.timeline.find("ready"), std::string::npos) << found.timeline;
  EXPECT_FALSE(found.replay.empty());
}

TEST(Bodies, CountEveryChoiceAndEveryAssumption) {
  const Explored found = explore(
      [] {
        std::atomic<int> chosen = 0;
        chosen.store(choose(3));
        assume(chosen.load() != 1);
      },
      {.models = Models::kSc});
  EXPECT_TRUE(found.passed()) << found.text();
  EXPECT_EQ(found.sc.executions, 2U);
  EXPECT_EQ(found.sc.assumed, 1U);
}

TEST(Bodies, AreIncompleteWhenTheyAreCapped) {
  const Explored found = explore([] { choose(3); }, {.executions_max = 2});
  EXPECT_EQ(found.outcome, Outcome::kIncomplete) << found.text();
  EXPECT_FALSE(found.message.empty());
}

}  // namespace
