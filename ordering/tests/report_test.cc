// What is said of a failing run, on executions made by hand: the printer alone.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "ordering/report/timeline.h"
#include "ordering/tests/hand_made.h"

namespace overbite::ordering {
namespace {

std::string told(const Execution& execution, int passes = -1) {
  const History history(execution);
  const SourceLookup lines = &hand_made_line;
  return to_text(make_timeline(history, lines, explain(history, lines, passes)), false);
}

TEST(Timeline, ALostUpdateIsAPreemptionBetweenReadAndWrite) {
  HandMade run({"main", "one", "two"}, {"x"});
  run.spawn(1);
  run.spawn(2);
  const int read = run.load(1, 0, 0, -1);
  static_cast<void>(read);
  run.load(2, 0, 0, -1);
  run.last().preempts = true;
  run.store(2, 0, 1);
  const int last = run.store(1, 0, 1);
  run.load(0, 0, 1, last);
  run.fail(FailureKind::kRequirement, "an update was lost");
  EXPECT_EQ(
      told(run.execution, 1),
      "     main       one              two\n"
      "  1  start one\n"
      "  2  start two\n"
      "  3             x = 0 (initial)                   h.cc:3  <- main is preempted\n"
      "  4                              x = 0 (initial)  h.cc:4  <- one is preempted\n"
      "  5                              x := 1           h.cc:5\n"
      "  6             x := 1                            h.cc:6  <- two ended\n"
      "  7  x = 1                                        h.cc:7  <- one ended\n"
      "failure: an update was lost\n"
      "why: Row 3 (one: x = 0, h.cc:3) comes before row 5 (two: x := 1, h.cc:5), and row 5 before "
      "row 6 (one: x := 1,\n"
      "     h.cc:6): nothing keeps row 3 and row 6 together. Without this switch the run does not "
      "fail.\n");
}

TEST(Timeline, AStaleReadNamesTheWriteItMissedAndTheOrdersThatWereMissing) {
  HandMade run = flag_without_data();
  run.fail(FailureKind::kRequirement, "the flag came before the data");
  const std::string text = told(run.execution);
  EXPECT_NE(text.find("data = 0 (initial; stale: 1 newer), relaxed  h.cc:6"), std::string::npos)
      << text;
  EXPECT_NE(text.find("why: Row 6 (consumer: data = 0, h.cc:6) does not see row 3 (producer: data "
                      ":= 42, h.cc:3), which"),
            std::string::npos)
      << text;
  EXPECT_NE(
      text.find(
          "With release at h.cc:4 (row 4: the store of ready is relaxed) and acquire at h.cc:5 "
          "(row 5: the\n     load of ready is relaxed) this run would not be possible."),
      std::string::npos)
      << text;
}

TEST(Timeline, AStoreThatComesBeforeAnotherSaysSo) {
  HandMade run({"main", "one", "two"}, {"x"});
  run.spawn(1);
  run.spawn(2);
  run.store(1, 0, 1, kRelaxed);
  run.store(2, 0, 2, kRelaxed);
  run.last().skipped = 1;
  run.fail(FailureKind::kRequirement, "x is 1");
  const std::string text = told(run.execution);
  EXPECT_NE(text.find("x := 2 (placed before 1), relaxed"), std::string::npos) << text;
  EXPECT_NE(text.find("is put before the newer row 3"), std::string::npos) << text;
}

TEST(Timeline, SpinsAreFolded) {
  HandMade run({"main", "worker"}, {"x", "y"});
  run.spawn(1);
  for (int turn = 0; turn < 14; ++turn) {
    run.at_line(10).load(1, 0, 0, -1);
  }
  for (int turn = 0; turn < 5; ++turn) {
    run.at_line(20).load(1, 0, 0, -1);
    run.at_line(21).load(1, 1, 0, -1);
  }
  run.fail(FailureKind::kRequirement, "it spins");
  const std::string text = told(run.execution);
  EXPECT_NE(text.find("x = 0 (initial)  x14  h.cc:10  <- main ended\n"), std::string::npos) << text;
  EXPECT_NE(text.find("y = 0 (initial)       h.cc:21  (rows 3-4 x5)\n"), std::string::npos) << text;
}

TEST(Timeline, BlockedThreadsAreTheLastRowsAndTheirLocksHaveHolders) {
  HandMade run({"main", "one", "two"}, {"a", "b"});
  run.spawn(1);
  run.spawn(2);
  run.lock(1, 0);
  run.lock(2, 1);
  run.last().preempts = true;
  run.waits(0, "the end of one");
  run.waits(1, "lock of b");
  run.waits(2, "lock of a");
  run.fail(FailureKind::kDeadlock, "deadlock");
  const std::string text = told(run.execution);
  EXPECT_NE(
      text.find(
          "  5  waits for the end of one\n  6                            waits for lock of b\n"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("why: one waits for lock of b, which two has held since row 4 (two: lock b, "
                      "h.cc:4). two waits for lock"),
            std::string::npos)
      << text;
}

TEST(Timeline, ADataRaceIsTwoLinesAndTheOrderThatIsMissing) {
  HandMade run({"main", "producer", "consumer"}, {"ready"});
  run.spawn(1);
  run.spawn(2);
  const int flag = run.store(1, 0, 1, kRelaxed);
  run.load(2, 0, 1, flag, kAcquire);
  run.execution.race = {{2, false, false, 2, 4, code_of_line(8), "data"},
                        {1, true, false, 1, 0, code_of_line(7), "data"}};
  run.fail(FailureKind::kDataRace, "data race");
  const std::string text = told(run.execution);
  EXPECT_NE(text.find("failure: data race: read of 4 bytes of data by consumer in f (h.cc:8); "
                      "write of data by producer in "
                      "f (h.cc:7)\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("With release at h.cc:3 (row 3: the store of ready is relaxed)"),
            std::string::npos)
      << text;
}

TEST(Timeline, IsNeverLongerThanItsBoundAndKeepsWhatItSpeaksOf) {
  HandMade run({"main", "one", "two"}, {"x", "y"});
  run.spawn(1);
  run.spawn(2);
  const int first = run.load(1, 1, 0, -1);
  static_cast<void>(first);
  for (std::uint64_t i = 1; i <= 100; ++i) {
    run.store(2, 0, i);
    run.last().preempts = i == 1;
  }
  run.store(2, 1, 1);
  run.store(1, 1, 2);
  run.load(1, 0, 100, 102);
  run.fail(FailureKind::kRequirement, "long");
  const History history(run.execution);
  const SourceLookup lines = &hand_made_line;
  const Timeline timeline = make_timeline(history, lines, explain(history, lines, -1));
  EXPECT_LE(timeline.rows.size(), kTimelineRowsMax);
  EXPECT_EQ(timeline.why.find("an earlier step"), std::string::npos) << timeline.why;
  EXPECT_GT(timeline.left_out, 70U);
}

TEST(Timeline, ALongStepIsWrappedNotCut) {
  HandMade run({"main"},
               {"an object with a name of thirty-four and one more that is longer still"});
  run.store(0, 0, 123456);
  run.fail(FailureKind::kRequirement, "long");
  EXPECT_NE(
      told(run.execution)
          .find("  1  an object with a name of thirty-four and one more that is longer  h.cc:1\n"
                "       still := 123456\n"),
      std::string::npos)
      << told(run.execution);
}

TEST(Timeline, AnExecutionWithoutEventsHasATimeline) {
  HandMade run({"main"}, {});
  run.fail(FailureKind::kCrash, "crash");
  EXPECT_NE(told(run.execution).find("failure: crash\n"), std::string::npos);
}

}  // namespace
}  // namespace overbite::ordering
