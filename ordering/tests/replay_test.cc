// A failing run as a string: it brings the failure back, and says where it no longer fits.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "ordering/report/history.h"
#include "ordering/report/replay_string.h"
#include "ordering/report/shrink.h"
#include "ordering/report/words.h"
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
  EXPECT_EQ(other.failure.message,
            "the replay no longer fits at step 2 of 6: expected load by thread 1, found rmw");
}

TEST(Replay, ABrokenStringIsRefusedByItsCharacter) {
  std::string text = failing_run();
  text[3] = '!';
  const auto steps = parse_replay_string(text);
  ASSERT_FALSE(steps.ok());
  EXPECT_NE(steps.error().find('4'), std::string::npos) << steps.error();
}

// The flag may come before the data: only under RC11.
void relaxed_message() {
  const Cells cells(2);
  in_parallel({[&cells] {
                 cells[0].store(42, std::memory_order_relaxed);
                 cells[1].store(1, std::memory_order_relaxed);
               },
               [&cells] {
                 if (cells[1].load(std::memory_order_relaxed) == 1) {
                   require(cells[0].load(std::memory_order_relaxed) == 42, "the data is missing");
                 }
               }});
}

TEST(Replay, BringsBackAFailureThatOnlyRc11Has) {
  ASSERT_EQ(explored(relaxed_message).verdict, Verdict::kPass);
  const Exploration found = explored(relaxed_message, {}, Model::kRc11);
  ASSERT_EQ(found.verdict, Verdict::kFail);
  Machine machine;
  const Shrunk shrunk = shrink(machine, relaxed_message, found.failed);
  ASSERT_TRUE(shrunk.replayed);
  const std::string text = to_replay_string(steps_of(shrunk.failed.events));
  Machine other;
  const Execution again = replay_once(other, relaxed_message, parse_replay_string(text).value());
  EXPECT_EQ(again.failure.message, "the data is missing");
  EXPECT_EQ(std::count_if(again.events.begin(), again.events.end(), &is_weak), 1);
  EXPECT_TRUE(History(again).is_consistent());
}

// The flag may come before the data; what is read in between does not matter.
void message_and_more() {
  const Cells cells(3);
  in_parallel({[&cells] {
                 for (const std::size_t i : {0, 2, 1}) {
                   cells[i].store(1, std::memory_order_relaxed);
                 }
               },
               [&cells] {
                 if (cells[1].load(std::memory_order_relaxed) == 1) {
                   cells[2].load(std::memory_order_relaxed);
                   require(cells[0].load(std::memory_order_relaxed) == 1, "the data is missing");
                 }
               }});
}

TEST(Shrink, KeepsNoOldValueThatTheFailureDoesNotNeed) {
  Machine machine;
  const Exploration found = explored(message_and_more, {}, Model::kRc11);
  ASSERT_EQ(found.verdict, Verdict::kFail);
  std::vector<Step> steps = steps_of(shrink(machine, message_and_more, found.failed).failed.events);
  steps[steps.size() - 2].skipped = 1;  // the read that does not matter
  const Execution needless = replay_once(machine, message_and_more, steps);
  ASSERT_EQ(std::count_if(needless.events.begin(), needless.events.end(), &is_weak), 2);
  const Shrunk shrunk = shrink(machine, message_and_more, needless);
  EXPECT_EQ(std::count_if(shrunk.failed.events.begin(), shrunk.failed.events.end(), &is_weak), 1);
  EXPECT_EQ(shrunk.failed.failure.message, "the data is missing");
}

TEST(Shrink, SaysWhetherTheLastSwitchDecides) {
  const Exploration found = explored(lost_update);
  Machine machine;
  EXPECT_EQ(shrink(machine, lost_update, found.failed).passes_without_last_switch, 1);
}

TEST(History, ForbidsWhatRc11Forbids) {
  Machine machine;
  const Execution run =
      shrink(machine, relaxed_message, explored(relaxed_message, {}, Model::kRc11).failed).failed;
  const History stronger(run, [](Operation op) {
    op.order = kSeqCst;
    return op;
  });
  EXPECT_TRUE(History(run).is_consistent());
  EXPECT_FALSE(stronger.is_consistent());
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
