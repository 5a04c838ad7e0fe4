// A program with a main of its own, loaded beside the tests.
#include "ordering/loaded_program.h"

#include <gtest/gtest.h>

#include "ordering/explore/explorer.h"

namespace overbite::ordering {
namespace {

TEST(LoadedProgram, FindsItsVariablesNewInEachExecution) {
  const auto loaded = load_program(OVERBITE_OWN_STATE, {});
  ASSERT_TRUE(loaded.ok()) << loaded.error();
  EXPECT_EQ(loaded.value().bare, "");
  Machine machine;
  for (const Model model : {Model::kSc, Model::kRc11}) {
    const Exploration found = explore_all(machine, loaded.value().scenario.body, model, {});
    EXPECT_EQ(found.verdict, Verdict::kPass)
        << "an execution finds what another left: " << found.reason;
    EXPECT_EQ(found.executions, 32U);
  }
}

}  // namespace
}  // namespace overbite::ordering
