// The whole way from a patch file to a verdict, on a project of one guarded line.
#include "sabotage/tests/toy.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "sabotage/runner/text.h"

namespace overbite::sabotage::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kIsFortyTwo =
    "gtest:answer_test:Answer.IsFortyTwo | assert | the answer is wrong";

class ToyTest : public testing::Test {
 protected:
  void SetUp() override { toy_.reset(); }

  // Runs the one patch and expects its verdict and the process's exit code.
  RunnerResult expect(const ToyPatch& patch, const std::string& verdict, int exit_code) {
    toy_.write_patch(patch);
    RunnerResult result = toy_.run();
    EXPECT_EQ(result.exit_code, exit_code) << result.out << result.err;
    if (result.out.empty()) {
      ADD_FAILURE() << "no output; stderr: " << result.err;
      return result;
    }
    EXPECT_EQ(result.verdict(), verdict) << result.detail();
    return result;
  }

  Toy& toy_ = Toy::built();
};

TEST_F(ToyTest, AssertionThatNoticesIsKilled) {
  expect({"  value += 1;\n", {kIsFortyTwo}, {}}, "killed", 0);
}

TEST_F(ToyTest, DeletedLineIsKilled) { expect({"", {kIsFortyTwo}, {}}, "killed", 0); }

TEST_F(ToyTest, DeletedAssertionSurvives) {
  const RunnerResult result =
      expect({"  value += 1;\n", {"gtest:answer_test:Answer.IsNotLookedAt | assert | wrong"}, {}},
             "survived",
             2);
  EXPECT_EQ(result.detail(), "the test passed");
}

TEST_F(ToyTest, EveryKillerHasToGoRed) {
  expect({"  value += 1;\n",
          {kIsFortyTwo, "gtest:answer_test:Answer.IsNotLookedAt | assert | wrong"},
          {}},
         "survived",
         2);
}

TEST_F(ToyTest, OtherTextIsKilledOtherwise) {
  const RunnerResult result =
      expect({"  value += 1;\n", {"gtest:answer_test:Answer.IsFortyTwo | assert | late"}, {}},
             "killed-otherwise",
             3);
  EXPECT_NE(result.detail().find("not with \"late\""), std::string::npos) << result.detail();
}

TEST_F(ToyTest, SameObjectHasNoEffect) {
  expect({"  value = value + 2;\n", {kIsFortyTwo}, {}}, "no-effect", 2);
}

// The code below the guard prints its own line number, so the object would differ by that alone.
TEST_F(ToyTest, TwoLinesForOneKeepTheNumbersBelow) {
  expect({"  value += 1;\n  value += 1;\n", {kIsFortyTwo}, {}}, "no-effect", 2);
}

TEST_F(ToyTest, CodeThatDoesNotCompileFailsTheBuild) {
  const RunnerResult result =
      expect({"  value += nothing;\n", {kIsFortyTwo}, {}}, "build-failed", 6);
  EXPECT_NE(result.detail().find("answer.cc:31"), std::string::npos) << result.detail();
}

TEST_F(ToyTest, CrashIsKilledIfDeclared) {
  expect({"  value += 1000;\n",
          {"gtest:answer_test:Answer.IsFortyTwo | crash | toy check failed at line 32"},
          {}},
         "killed",
         0);
}

TEST_F(ToyTest, CrashIsNoAssertion) {
  const RunnerResult result =
      expect({"  value += 1000;\n", {kIsFortyTwo}, {}}, "killed-otherwise", 3);
  EXPECT_NE(result.detail().find("signal 6"), std::string::npos) << result.detail();
}

TEST_F(ToyTest, AssertionIsNoCrash) {
  expect({"  value += 1;\n", {"gtest:answer_test:Answer.IsFortyTwo | crash | wrong"}, {}},
         "killed-otherwise",
         3);
}

TEST_F(ToyTest, HangIsKilledIfDeclaredAndElseATimeout) {
  const std::string forever = "  for (volatile bool on = true; on;) {\n  }\n";
  toy_.write_patch({forever, {"gtest:answer_test:Answer.IsFortyTwo | hang"}, {}});
  const RunnerResult declared = toy_.runner({"run", "--json", "--repeat", "1"});
  EXPECT_EQ(declared.exit_code, 0) << declared.out << declared.err;
  expect({forever, {kIsFortyTwo}, {}}, "timeout", 3);
}

TEST_F(ToyTest, EveryOtherTimeIsFlaky) {
  expect({"  value += flip();\n", {kIsFortyTwo}, {}}, "flaky-kill", 3);
}

TEST_F(ToyTest, NameThatSelectsNothingIsNoSurvivor) {
  expect({"  value += 1;\n", {"gtest:answer_test:Answer.IsGone | assert | wrong"}, {}},
         "no-tests-ran",
         5);
}

TEST_F(ToyTest, SkippedTestDidNotRun) {
  expect({"  value += 1;\n", {"gtest:answer_test:Answer.IsSkipped | assert | wrong"}, {}},
         "no-tests-ran",
         5);
}

TEST_F(ToyTest, TestThatIsRedAnywayKillsNothing) {
  expect({"  value += 1;\n", {"gtest:answer_test:Answer.IsAlwaysWrong | assert | 42"}, {}},
         "baseline-red",
         4);
}

TEST_F(ToyTest, RedControlMeansTooBluntAPatch) {
  expect({"  value += 2;  // same\n  value += 1;\n",
          {kIsFortyTwo},
          {"gtest:answer_test:Answer.IsEven"}},
         "killed-otherwise",
         3);
}

TEST_F(ToyTest, GreenControlIsFine) {
  expect({"  value += 4;\n", {kIsFortyTwo}, {"gtest:answer_test:Answer.IsEven"}}, "killed", 0);
}

// Linked with the older DT_RPATH, the program loads the good library whatever the runner asks for.
// The canary notices first.
TEST_F(ToyTest, ProgramThatLoadsTheGoodLibraryIsFoundOut) {
  toy_.write_patch({"  value += 1;\n", {"gtest:deaf_test:Answer.IsFortyTwo | assert | wrong"}, {}});
  const RunnerResult all = toy_.run();
  EXPECT_EQ(all.exit_code, 4) << all.out << all.err;
  EXPECT_NE(all.err.find("null variant"), std::string::npos) << all.err;
  const RunnerResult alone = toy_.runner({"run", "--built", "--json"});
  EXPECT_EQ(alone.exit_code, 70);
  EXPECT_EQ(alone.verdict(), "wrong-library");
}

TEST_F(ToyTest, PytestThatNoticesIsKilled) {
  expect({"  value += 1;\n",
          {"pytest:tests/test_answer.py::test_answer_is_forty_two | assert | the answer is wrong",
           "pytest:tests/test_answer.py::test_answer_can_be_divided[3] | assert | answer is wrong"},
          {}},
         "killed",
         0);
}

TEST_F(ToyTest, PytestErrorInSetupIsKilledOtherwise) {
  expect({"  value += 1;\n",
          {"pytest:tests/test_answer.py::test_answer_is_right_before_the_test | assert | wrong"},
          {}},
         "killed-otherwise",
         3);
}

TEST_F(ToyTest, PytestNameThatSelectsTwoIsRefused) {
  expect({"  value += 1;\n",
          {"pytest:tests/test_answer.py::test_answer_can_be_divided | assert | wrong"},
          {}},
         "no-tests-ran",
         5);
}

TEST_F(ToyTest, PytestNameThatDoesNotExistIsRefused) {
  expect({"  value += 1;\n", {"pytest:tests/test_answer.py::test_gone | assert | wrong"}, {}},
         "no-tests-ran",
         5);
}

TEST_F(ToyTest, ScenarioThatBreaksIsKilled) {
  expect({"  value += 1;\n", {"ordering:ask_vs_answer | scenario | the \"answer\" was lost"}, {}},
         "killed",
         0);
}

TEST_F(ToyTest, OnePatchOnBothLibraries) {
  expect({"  value += 1;\n", {kIsFortyTwo, "ordering:ask_vs_answer | scenario | was lost"}, {}},
         "killed",
         0);
}

TEST_F(ToyTest, PatchFollowsItsGuard) {
  toy_.edit("server/toy/answer.cc", "namespace toy {\n", "// one more line\nnamespace toy {\n");
  expect({"  value += 1;\n", {kIsFortyTwo}, {}}, "killed", 0);
}

TEST_F(ToyTest, ChangedContextIsStale) {
  toy_.edit("server/toy/answer.cc", "  int value = 40;", "  int value = 20 + 20;");
  const RunnerResult result = expect({"  value += 1;\n", {kIsFortyTwo}, {}}, "stale", 5);
  EXPECT_NE(result.detail().find("server/toy/answer.cc:30"), std::string::npos) << result.detail();
}

TEST_F(ToyTest, StepsOfCtestGiveTheSameVerdict) {
  toy_.write_patch({"  value += 1;\n", {kIsFortyTwo}, {}});
  EXPECT_EQ(toy_.runner({"build"}).exit_code, 0);
  EXPECT_EQ(toy_.runner({"baseline"}).exit_code, 0);
  EXPECT_EQ(toy_.runner({"null"}).exit_code, 0);
  EXPECT_EQ(toy_.runner({"canary"}).exit_code, 0);
  const RunnerResult run = toy_.runner({"run", "--id", "answer-wrong", "--built"});
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
  EXPECT_TRUE(run.out.starts_with("killed ")) << run.out;
}

std::map<std::string, std::string> contents(const fs::path& directory) {
  std::map<std::string, std::string> files;
  for (const fs::directory_entry& item : fs::recursive_directory_iterator(directory)) {
    if (item.is_regular_file()) {
      files[item.path().string()] = read_file(item.path());
    }
  }
  return files;
}

TEST_F(ToyTest, SourceTreeIsLeftAloneAndScratchIsEmpty) {
  toy_.write_patch(
      {"  value += 1;\n",
       {kIsFortyTwo,
        "pytest:tests/test_answer.py::test_answer_is_forty_two | assert | the answer is wrong"},
       {}});
  const auto before = contents(toy_.source_dir());
  EXPECT_EQ(toy_.run().exit_code, 0);
  EXPECT_EQ(contents(toy_.source_dir()), before);
  EXPECT_TRUE(fs::is_empty(toy_.build_dir() / "sabotage" / "state" / "scratch"));
}

}  // namespace
}  // namespace overbite::sabotage::test
