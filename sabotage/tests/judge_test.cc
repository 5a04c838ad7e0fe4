#include "sabotage/runner/judge.h"

#include <gtest/gtest.h>

namespace overbite::sabotage {
namespace {

const BuiltLibrary kVariant{"/b/variants/g/lib/liboverbite_server.so", "abcd"};
const BuiltLibrary kBase{"/b/lib/liboverbite_server.so", "1234"};

Killer killer(KillKind kind, std::string text = "lost") {
  return {parse_test_name("gtest:ring_test:Ring.IsFifo"), kind, std::move(text)};
}

Observation exited(int code, CaseReport report) {
  Observation seen;
  seen.finished.code = code;
  seen.report = std::move(report);
  seen.loaded = {kVariant};
  return seen;
}

const CaseReport kGreen{{"Ring.IsFifo"}, false, false, ""};
const CaseReport kRed{{"Ring.IsFifo"}, true, false, "ring_test.cc:7: lost"};

Verdict verdict(const Killer& declared, const Observation& seen) {
  return judge(declared, seen, kVariant).verdict;
}

TEST(Judge, DeclaredFailureIsKilled) {
  EXPECT_EQ(verdict(killer(KillKind::kAssert), exited(1, kRed)), Verdict::kKilled);
}

TEST(Judge, GreenSurvives) {
  EXPECT_EQ(verdict(killer(KillKind::kAssert), exited(0, kGreen)), Verdict::kSurvived);
}

TEST(Judge, OtherTextIsKilledOtherwise) {
  EXPECT_EQ(verdict(killer(KillKind::kAssert, "late"), exited(1, kRed)), Verdict::kKilledOtherwise);
}

TEST(Judge, GreenTestInAProgramThatFailsIsKilledOtherwise) {
  EXPECT_EQ(verdict(killer(KillKind::kAssert), exited(23, kGreen)), Verdict::kKilledOtherwise);
}

TEST(Judge, CountOfTestsDecidesNotTheExitCode) {
  EXPECT_EQ(verdict(killer(KillKind::kAssert), exited(0, {})), Verdict::kNoTestsRan);
  EXPECT_EQ(verdict(killer(KillKind::kAssert), exited(1, {{"A.B", "A.C"}, true, false, "lost"})),
            Verdict::kNoTestsRan);
}

TEST(Judge, MissingReportIsAHarnessError) {
  Observation seen = exited(1, {});
  seen.report.reset();
  EXPECT_EQ(verdict(killer(KillKind::kAssert), seen), Verdict::kHarnessError);
}

TEST(Judge, SignalKillsOnlyIfDeclared) {
  Observation seen = exited(6, {});
  seen.report.reset();
  seen.finished.how = Finished::How::kSignalled;
  seen.finished.err = "CHECK failed: lost";
  EXPECT_EQ(verdict(killer(KillKind::kCrash), seen), Verdict::kKilled);
  EXPECT_EQ(verdict(killer(KillKind::kCrash, "late"), seen), Verdict::kKilledOtherwise);
  EXPECT_EQ(verdict(killer(KillKind::kAssert), seen), Verdict::kKilledOtherwise);
  EXPECT_EQ(verdict(killer(KillKind::kCrash), exited(1, kRed)), Verdict::kKilledOtherwise);
}

TEST(Judge, TimeLimitKillsOnlyIfDeclared) {
  Observation seen = exited(0, {});
  seen.finished.how = Finished::How::kTimedOut;
  EXPECT_EQ(verdict(killer(KillKind::kHang, ""), seen), Verdict::kKilled);
  EXPECT_EQ(verdict(killer(KillKind::kAssert), seen), Verdict::kTimeout);
  EXPECT_EQ(verdict(killer(KillKind::kHang), exited(1, kRed)), Verdict::kKilledOtherwise);
  EXPECT_EQ(verdict(killer(KillKind::kHang), exited(0, kGreen)), Verdict::kSurvived);
}

TEST(Judge, LibraryComesFirst) {
  Observation seen = exited(1, kRed);
  seen.loaded = {kBase};
  EXPECT_EQ(verdict(killer(KillKind::kAssert), seen), Verdict::kWrongLibrary);
  seen.loaded = {kVariant, kBase};
  EXPECT_EQ(verdict(killer(KillKind::kAssert), seen), Verdict::kWrongLibrary);
  seen.loaded = {{kVariant.path, "1234"}};
  EXPECT_EQ(verdict(killer(KillKind::kAssert), seen), Verdict::kWrongLibrary);
  seen.loaded.clear();
  EXPECT_EQ(verdict(killer(KillKind::kAssert), seen), Verdict::kWrongLibrary);
}

TEST(Judge, OtherLibrariesOfTheProgramDoNotCount) {
  const BuiltLibrary explorer{"/b/variants/g/lib/liboverbite_ordering.so", "77"};
  Observation seen = exited(1, kRed);
  seen.loaded = {kVariant, explorer};
  EXPECT_EQ(verdict(killer(KillKind::kAssert), seen), Verdict::kKilled);
  seen.loaded = {explorer};
  EXPECT_EQ(verdict(killer(KillKind::kAssert), seen), Verdict::kWrongLibrary);
}

TEST(Judge, AGreenTestHasToHaveLoadedAllThatIsExpected) {
  const BuiltLibrary explorer{"/b/lib/liboverbite_ordering.so", "77"};
  const TestName test = parse_test_name("ordering:parked_vs_push");
  Observation seen = exited(0, kGreen);
  seen.loaded = {kBase, explorer};
  EXPECT_EQ(judge_green(test, seen, {kBase, explorer}).verdict, Verdict::kSurvived);
  seen.loaded = {kBase};
  EXPECT_EQ(judge_green(test, seen, {kBase, explorer}).verdict, Verdict::kWrongLibrary);
}

TEST(Judge, PytestThatSelectsNothingRanNothing) {
  const Killer declared{parse_test_name("pytest:t.py::test_x"), KillKind::kAssert, "lost"};
  EXPECT_EQ(verdict(declared, exited(5, {})), Verdict::kNoTestsRan);
  EXPECT_EQ(verdict(declared, exited(4, {})), Verdict::kNoTestsRan);
}

TEST(Judge, PytestThatFindsNoSuchTestIsQuoted) {
  Observation seen;
  seen.finished.code = 4;
  seen.finished.out = "\nno tests ran in 0.48s\n";
  seen.finished.err = "ERROR: not found: /w/t.py::test_nope\n(no match in any of [<Module>])\n\n";
  const Killer declared{parse_test_name("pytest:t.py::test_nope"), KillKind::kAssert, "x"};
  EXPECT_EQ(judge(declared, seen, kVariant).detail,
            "pytest ended with exit code 4: ERROR: not found: /w/t.py::test_nope");
}

TEST(Judge, ErrorAroundTheTestIsNoKill) {
  const Killer declared{parse_test_name("pytest:t.py::test_x"), KillKind::kAssert, "lost"};
  EXPECT_EQ(verdict(declared, exited(1, {{"t::test_x"}, false, true, "lost"})),
            Verdict::kKilledOtherwise);
}

TEST(Repeats, AllHaveToBeKilled) {
  const Judgement killed{Verdict::kKilled, ""};
  const Judgement survived{Verdict::kSurvived, ""};
  const Judgement harness{Verdict::kHarnessError, ""};
  EXPECT_EQ(judge_repeats({killed, killed}).verdict, Verdict::kKilled);
  EXPECT_EQ(judge_repeats({killed, survived}).verdict, Verdict::kFlakyKill);
  EXPECT_EQ(judge_repeats({survived, survived}).verdict, Verdict::kSurvived);
  EXPECT_EQ(judge_repeats({killed, harness}).verdict, Verdict::kHarnessError);
}

TEST(Canary, IsNoticedByWhatItPrints) {
  const TestName native = parse_test_name("gtest:ring_test:Ring.IsFifo");
  Observation seen;
  seen.finished.how = Finished::How::kSignalled;
  seen.finished.code = 6;
  EXPECT_EQ(judge_canary(native, seen).verdict, Verdict::kHarnessError);
  seen.finished.err = "overbite canary\n";
  EXPECT_EQ(judge_canary(native, seen).verdict, Verdict::kKilled);
  EXPECT_EQ(judge_canary(native, Observation{}).verdict, Verdict::kSurvived);
}

TEST(LibraryLine, IsReadWithPathsOfBlanks) {
  const auto loaded = read_library_lines(
      "[==========]\noverbite-library: /a b/lib.so 12ab\noverbite-library: none -\nother: x y\n");
  ASSERT_EQ(loaded.size(), 2U);
  EXPECT_EQ(loaded[0], (BuiltLibrary{"/a b/lib.so", "12ab"}));
  EXPECT_EQ(loaded[1], (BuiltLibrary{"none", "-"}));
}

TEST(ExitCode, CauseThatMakesTheResultWorthlessWins) {
  EXPECT_EQ(exit_of(std::vector<Verdict>{}), Exit::kAllBite);
  EXPECT_EQ(exit_of({Verdict::kKilled, Verdict::kFlakyKill}), Exit::kWrongReason);
  EXPECT_EQ(exit_of({Verdict::kSurvived, Verdict::kTimeout}), Exit::kSurvivor);
  EXPECT_EQ(exit_of({Verdict::kSurvived, Verdict::kStale}), Exit::kStale);
  EXPECT_EQ(exit_of({Verdict::kStale, Verdict::kBuildFailed}), Exit::kBuild);
  EXPECT_EQ(exit_of({Verdict::kBaselineRed, Verdict::kBuildFailed}), Exit::kBaseline);
  EXPECT_EQ(exit_of({Verdict::kBaselineRed, Verdict::kWrongLibrary}), Exit::kInternal);
}

}  // namespace
}  // namespace overbite::sabotage
