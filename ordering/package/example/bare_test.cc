// Compiled without -fsanitize=thread, by mistake.
#include <gtest/gtest.h>

#include "overbite/ordering.h"

TEST(BareBodies, AreNotBelieved) {
  const auto found = overbite::ordering::explore([] {});
  EXPECT_EQ(found.outcome, overbite::ordering::Outcome::kNotArmed);
  EXPECT_NE(found.message.find("not armed"), std::string::npos) << found.message;
}
