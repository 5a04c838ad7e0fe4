// What other projects call. ordering/package/example has the rest, built against what is installed.
#include <gtest/gtest.h>

#include <mutex>

#include "overbite/ordering.h"

namespace overbite::ordering {
namespace {

TEST(PublicHeader, ExploresWhenTheRaceBesideTheCallIsSeen) {
  const Explored found = explore(
      [] {
        std::mutex mutex;
        const std::lock_guard held(mutex);
        choose(2);
      },
      {.models = Models::kRc11});
  EXPECT_TRUE(found.passed()) << found.text();
  EXPECT_EQ(found.sc.executions, 0U);
  EXPECT_EQ(found.rc11.executions, 2U);
}

TEST(PublicHeader, ExploresNothingWhenTheRaceBesideTheCallIsNotSeen) {
  const auto body = [] {
    std::mutex mutex;
    const std::lock_guard held(mutex);
  };
  const Explored found = detail::explore_armed(body, {}, [] {});
  ASSERT_EQ(found.outcome, Outcome::kNotArmed) << "a caller without instrumentation was believed";
  EXPECT_EQ(found.sc.executions + found.rc11.executions, 0U);
}

}  // namespace
}  // namespace overbite::ordering
