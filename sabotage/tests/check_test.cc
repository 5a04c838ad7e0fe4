#include "sabotage/runner/check.h"

#include <gtest/gtest.h>

namespace overbite::sabotage {
namespace {

TEST(GtestList, GivesFullNames) {
  EXPECT_EQ(parse_gtest_list("Running main() from x\nRing.\n  IsFifo\nAll/Ring.\n  Holds/0  # "
                             "GetParam() = 3\n  Holds/1\n"),
            (std::vector<std::string>{"Ring.IsFifo", "All/Ring.Holds/0", "All/Ring.Holds/1"}));
}

TEST(PytestSource, DefinesItsTests) {
  constexpr std::string_view kSource =
      "class TestRing:\n    def test_is_fifo(self) -> None:\n        pass\n\n"
      "async def test_later():\n    pass\n\n# def test_gone(\n";
  EXPECT_TRUE(defines_pytest(kSource, "TestRing::test_is_fifo"));
  EXPECT_TRUE(defines_pytest(kSource, "test_later[a::b]"));
  EXPECT_FALSE(defines_pytest(kSource, "TestLane::test_is_fifo"));
  EXPECT_FALSE(defines_pytest(kSource, "test_is"));
  EXPECT_FALSE(defines_pytest(kSource, "test_gone"));
  EXPECT_FALSE(defines_pytest(kSource, "test_.*"));
}

}  // namespace
}  // namespace overbite::sabotage
