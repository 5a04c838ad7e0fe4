// Bad input: one clear line that names what and where, and the documented exit code.
#include <gtest/gtest.h>

#include <algorithm>

#include "sabotage/runner/text.h"
#include "sabotage/tests/toy.h"

namespace overbite::sabotage::test {
namespace {

constexpr const char* kIsFortyTwo =
    "gtest:answer_test:Answer.IsFortyTwo | assert | the answer is wrong";

class BrokenInputTest : public testing::Test {
 protected:
  void SetUp() override {
    toy_.reset();
    toy_.write_patch({"  value += 1;\n", {kIsFortyTwo}, {}});
  }

  static void expect_one_line(const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
    EXPECT_EQ(split_lines(text).size(), 1U) << text;
  }

  static bool has(const RunnerResult& result, const std::string& part) {
    return result.out.find(part) != std::string::npos;
  }

  Toy& toy_ = Toy::built();
};

TEST_F(BrokenInputTest, CheckIsSilentAboutAGoodTree) {
  const RunnerResult result = toy_.runner({"check"});
  EXPECT_EQ(result.exit_code, 0) << result.out;
  EXPECT_EQ(result.out, "check: 1 patch, 1 guard, 0 problems\n");
}

TEST_F(BrokenInputTest, BrokenPatchFileIsNamedWithItsLine) {
  toy_.write_patch_file("toy/answer-wrong.patch", "guard: answer-wrong\nharm: some\nnonsense\n");
  const RunnerResult check = toy_.runner({"check"});
  EXPECT_EQ(check.exit_code, 5);
  EXPECT_TRUE(has(check, "sabotage/patches/toy/answer-wrong.patch:3: ")) << check.out;
  const RunnerResult run = toy_.run();
  EXPECT_EQ(run.exit_code, 5) << run.out << run.err;
}

TEST_F(BrokenInputTest, GuardWithoutPatchAndPatchWithoutGuard) {
  toy_.edit("server/toy/answer.cc", "guard: answer-wrong", "guard: answer-other");
  const RunnerResult result = toy_.runner({"check"});
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_TRUE(has(result, "server/toy/answer.cc:31: guard 'answer-other' has no patch"));
  EXPECT_TRUE(has(result, "server/toy/answer.cc carries no guard 'answer-wrong'")) << result.out;
}

TEST_F(BrokenInputTest, GuardInAHeaderIsRefused) {
  toy_.edit("server/toy/answer.h", "int answer();", "int answer();  // guard: in-header");
  const RunnerResult result = toy_.runner({"check"});
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_TRUE(has(result, "server/toy/answer.h:6: guard 'in-header' is in a header")) << result.out;
}

TEST_F(BrokenInputTest, KillersThatDoNotExistAreNamed) {
  toy_.write_patch({"  value += 1;\n",
                    {"gtest:answer_test:Answer.IsGone | assert | x",
                     "gtest:no_such_test:Answer.IsFortyTwo | assert | x",
                     "pytest:tests/test_answer.py::test_gone | assert | x",
                     "pytest:tests/test_gone.py::test_gone | assert | x",
                     "ordering:gone_vs_answer | scenario | x"},
                    {}});
  const RunnerResult result = toy_.runner({"check"});
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_TRUE(has(result, "answer_test has no test Answer.IsGone")) << result.out;
  EXPECT_TRUE(has(result, "bin/no_such_test")) << result.out;
  EXPECT_TRUE(has(result, "tests/test_answer.py does not define test_gone")) << result.out;
  EXPECT_TRUE(has(result, "no file tests/test_gone.py")) << result.out;
  EXPECT_TRUE(has(result, "overbite-order has no test gone_vs_answer")) << result.out;
  EXPECT_TRUE(has(result, "5 problems")) << result.out;
}

TEST_F(BrokenInputTest, KillerWithoutProgramIsStaleInARun) {
  toy_.write_patch({"  value += 1;\n", {"gtest:no_such_test:Answer.IsFortyTwo | assert | x"}, {}});
  const RunnerResult result = toy_.run();
  EXPECT_EQ(result.exit_code, 5) << result.out << result.err;
  EXPECT_EQ(result.verdict(), "stale");
}

TEST_F(BrokenInputTest, UnknownIdIsUsage) {
  const RunnerResult result = toy_.runner({"run", "--id", "no-such-patch"});
  EXPECT_EQ(result.exit_code, 1);
  expect_one_line(result.err, "no patch 'no-such-patch'");
}

TEST_F(BrokenInputTest, UnknownSubcommandIsNamed) {
  const RunnerResult result = toy_.runner({"chekc"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find("no subcommand or option 'chekc'"), std::string::npos) << result.err;
}

TEST_F(BrokenInputTest, PytestKillerThatDoesNotExistIsNamedInARun) {
  toy_.write_patch(
      {"  value += 1;\n", {"pytest:tests/test_answer.py::test_gone | assert | x"}, {}});
  const RunnerResult result = toy_.run();
  EXPECT_EQ(result.exit_code, 5) << result.out << result.err;
  EXPECT_EQ(result.verdict(), "no-tests-ran");
  EXPECT_NE(result.detail().find("test_gone"), std::string::npos) << result.detail();
}

TEST_F(BrokenInputTest, MissingBuildDirectoryIsUsage) {
  const RunnerResult result = toy_.runner({"run", "--build-dir", "/nonexistent"});
  EXPECT_EQ(result.exit_code, 1);
  expect_one_line(result.err, "/nonexistent is no build directory");
}

TEST_F(BrokenInputTest, EmptyShardIsUsage) {
  const RunnerResult result = toy_.runner({"run", "--shard", "2/2"});
  EXPECT_EQ(result.exit_code, 1);
  expect_one_line(result.err, "shard 2/2 of 1 patch is empty");
}

TEST_F(BrokenInputTest, NoPatchAtAllProvesNothing) {
  toy_.reset();
  EXPECT_EQ(toy_.runner({"run"}).exit_code, 5);
  EXPECT_EQ(toy_.runner({"check"}).exit_code, 5);
}

TEST_F(BrokenInputTest, SourceThatDoesNotCompileIsABuildFailure) {
  toy_.edit("server/toy/answer.cc", "int value = 40;", "int value = forty;");
  const RunnerResult result = toy_.runner({"run"});
  EXPECT_EQ(result.exit_code, 6) << result.out << result.err;
  expect_one_line(result.err, "the build itself fails");
}

TEST_F(BrokenInputTest, InterruptedRunLeavesNothingBehind) {
  toy_.write_patch({"  for (volatile bool on = true; on;) {\n  }\n", {kIsFortyTwo}, {}});
  const RunnerResult result =
      toy_.runner({"run"}, {"timeout", "--preserve-status", "-s", "TERM", "3"});
  EXPECT_EQ(result.exit_code, 130) << result.out << result.err;
  expect_one_line(result.err, "interrupted");
  EXPECT_TRUE(std::filesystem::is_empty(toy_.build_dir() / "sabotage" / "state" / "scratch"));
}

TEST_F(BrokenInputTest, RunBuiltAfterAChangeAsksForABaseline) {
  EXPECT_EQ(toy_.run().exit_code, 0);
  std::filesystem::remove(toy_.build_dir() / "sabotage" / "state" / "baseline.json");
  const RunnerResult result = toy_.runner({"run", "--built"});
  EXPECT_EQ(result.exit_code, 4);
  expect_one_line(result.err, "run overbite-sabotage baseline");
}

}  // namespace
}  // namespace overbite::sabotage::test
