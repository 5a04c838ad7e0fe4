// A failing run as a string: it brings the failure back, and says where it no longer fits.
#include <gtest/gtest.h>

#include <string>

#include "ordering/report/replay_string.h"
#include "ordering/scenario.h"
#include "ordering/tests/model.h"

namespace overbite::ordering {
namespace {

void lost_update() {
  const Cells x(1);
  const Body one = [&x] { x[0].store(x[0].load() + 1); };
  in_parallel({one, one});
  require(x[0].load() == 2, "an update was lost");
}

void other_operations() {
  const Cells x(1);
  const Body one = [&x] { x[0].fetch_add(1); };
  in_parallel({one, one});
}

std::string failing_run() {
  return to_replay_string(steps_of(explored(lost_update).failed.events));
}

Execution replayed(const std::string& text, const Body& body) {
  const auto steps = parse_replay_string(text);
  EXPECT_TRUE(steps.ok());
  Machine machine;
  Replay search(machine, steps.value(), kReplaySignatureMask);
  search.begin();
  return machine.run(body, search);
}

TEST(Replay, BringsTheFailureBack) {
  const Execution again = replayed(failing_run(), lost_update);
  EXPECT_EQ(again.failure.kind, FailureKind::kRequirement);
  EXPECT_EQ(again.failure.message, "an update was lost");
}

TEST(Replay, SaysAtWhichStepItNoLongerFits) {
  const Execution other = replayed(failing_run(), other_operations);
  EXPECT_EQ(other.failure.kind, FailureKind::kReplayMismatch);
  EXPECT_NE(other.failure.message.find("step"), std::string::npos) << other.failure.message;
}

TEST(Replay, ABrokenStringIsRefusedByItsCharacter) {
  std::string text = failing_run();
  text[3] = '!';
  const auto steps = parse_replay_string(text);
  ASSERT_FALSE(steps.ok());
  EXPECT_NE(steps.error().find('4'), std::string::npos) << steps.error();
}

TEST(Replay, OfTheSimplestFailureIsShorterOrEqual) {
  Machine machine;
  const Exploration found = explored(lost_update);
  const Execution simple = simplest_failure(machine, lost_update, found.failed);
  EXPECT_EQ(simple.failure.kind, FailureKind::kRequirement);
  EXPECT_LE(simple.events.size(), found.failed.events.size());
}

}  // namespace
}  // namespace overbite::ordering
