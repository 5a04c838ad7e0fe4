#include "sabotage/runner/guards.h"

#include <gtest/gtest.h>

namespace overbite::sabotage {
namespace {

TEST(Guard, IsTheLastCommentOfALine) {
  EXPECT_EQ(guard_on("  poke();  // guard: poke-forgotten"), "poke-forgotten");
  EXPECT_EQ(guard_on("  poke();  // guard: rfc9112-6-3\r"), "rfc9112-6-3");
  EXPECT_EQ(guard_on("  poke();  // guard: poke-forgotten (see below)"), std::nullopt);
  EXPECT_EQ(guard_on("  poke();  // guard:poke-forgotten"), std::nullopt);
  EXPECT_EQ(guard_on("  poke();  // guard: "), std::nullopt);
  EXPECT_EQ(guard_on("  poke();"), std::nullopt);
}

TEST(Guard, IdIsLowerCaseWordsWithSingleHyphens) {
  EXPECT_TRUE(valid_guard_id("a-b-2"));
  for (const char* id : {"", "A", "a_b", "-a", "a-", "a--b", "a b", "a/b", "a.b"}) {
    EXPECT_FALSE(valid_guard_id(id)) << id;
  }
}

}  // namespace
}  // namespace overbite::sabotage
