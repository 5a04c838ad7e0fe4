// Programs that are wrong are reported, under each model in which they are, as what they are; and
// their right twins are not.
#include "ordering/litmus/wrong.h"

#include <gtest/gtest.h>

#include "ordering/tests/model.h"

namespace overbite::ordering {
namespace {

void is_reported(const litmus::Wrong& program, Model model, FailureKind expected) {
  const Exploration found = explored(program.to_explore(), {}, model);
  const char* const under = model == Model::kSc ? ", SC: " : ", RC11: ";
  EXPECT_EQ(found.verdict, expected == FailureKind::kNone ? Verdict::kPass : Verdict::kFail)
      << program.name << under << found.reason;
  EXPECT_EQ(found.failed.failure.kind, expected) << program.name << under << found.reason;
}

void are_reported(const std::vector<litmus::Wrong>& programs) {
  for (const litmus::Wrong& program : programs) {
    is_reported(program, Model::kSc, program.sc);
    is_reported(program, Model::kRc11, program.rc11);
  }
}

TEST(Wrong, DataBehindAFlagThatOrdersNothing) { are_reported(litmus::wrong_races()); }
TEST(Wrong, OrdersThatAreTooWeak) { are_reported(litmus::wrong_orders()); }
TEST(Wrong, Deadlocks) { are_reported(litmus::wrong_waits()); }
TEST(Wrong, MemoryAndLocksThatAreNotThere) { are_reported(litmus::wrong_uses()); }
}  // namespace
}  // namespace overbite::ordering
