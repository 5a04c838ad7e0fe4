#include "sabotage/runner/reports.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sabotage/runner/failure.h"

namespace overbite::sabotage {
namespace {

std::string gtest_json(const std::string& tests) {
  return R"({"tests": 1, "testsuites": [{"name": "Ring", "testsuite": [)" + tests + "]}]}";
}

TEST(GtestReport, PassedTest) {
  const CaseReport report =
      read_gtest_json(gtest_json(R"({"name": "IsFifo", "status": "RUN", "result": "COMPLETED"})"));
  EXPECT_EQ(report.ran, std::vector<std::string>{"Ring.IsFifo"});
  EXPECT_FALSE(report.failed);
}

TEST(GtestReport, FailedTestWithItsText) {
  const CaseReport report = read_gtest_json(gtest_json(
      R"({"name": "IsFifo", "status": "RUN", "result": "COMPLETED",
          "failures": [{"failure": "ring_test.cc:7\nlost", "type": ""}, {"failure": "too"}]})"));
  EXPECT_TRUE(report.failed);
  EXPECT_EQ(report.text, "ring_test.cc:7\nlost\ntoo\n");
}

TEST(GtestReport, SelectedNothing) {
  EXPECT_TRUE(read_gtest_json(R"({"tests": 0, "testsuites": []})").ran.empty());
}

TEST(GtestReport, SkippedAndDisabledTestsDidNotRun) {
  EXPECT_TRUE(read_gtest_json(gtest_json(R"({"name": "A", "status": "RUN", "result": "SKIPPED"},
                                {"name": "B", "status": "NOTRUN", "result": "SUPPRESSED"})"))
                  .ran.empty());
}

TEST(GtestReport, BrokenReportsAreRefused) {
  for (const char* text : {"", "{", "[]", R"({"testsuites": [{}]})", R"({"testsuites": 3})"}) {
    EXPECT_THROW(read_gtest_json(text), Failure) << text;
  }
}

std::string junit(const std::string& cases) {
  return "<?xml version=\"1.0\"?><testsuites><testsuite name=\"pytest\">" + cases +
         "</testsuite></testsuites>";
}

TEST(JunitReport, FailureInTheTestItself) {
  const CaseReport report =
      read_junit_xml(junit(R"(<testcase classname="tests.test_x" name="test_y">
               <failure message="AssertionError: lost">def test_y(): ...</failure></testcase>)"));
  EXPECT_EQ(report.ran, std::vector<std::string>{"tests.test_x::test_y"});
  EXPECT_TRUE(report.failed);
  EXPECT_FALSE(report.error);
  EXPECT_NE(report.text.find("AssertionError: lost"), std::string::npos);
  EXPECT_NE(report.text.find("def test_y"), std::string::npos);
}

TEST(JunitReport, ErrorIsNoFailure) {
  const CaseReport report = read_junit_xml(junit(
      R"(<testcase classname="t" name="y"><error message="failed on setup">x</error></testcase>)"));
  EXPECT_FALSE(report.failed);
  EXPECT_TRUE(report.error);
}

TEST(JunitReport, TeardownErrorAfterAFailureIsTheSameTest) {
  const CaseReport report =
      read_junit_xml(junit(R"(<testcase classname="t" name="y"><failure message="lost"/></testcase>
               <testcase classname="t" name="y"><error message="teardown"/></testcase>)"));
  EXPECT_EQ(report.ran.size(), 1U);
  EXPECT_TRUE(report.failed);
}

TEST(JunitReport, SkippedTestDidNotRun) {
  EXPECT_TRUE(read_junit_xml(junit(R"(<testcase name="y"><skipped/></testcase>)")).ran.empty());
}

TEST(JunitReport, BrokenReportsAreRefused) {
  for (const char* text : {"", "<testsuites>", "no xml"}) {
    EXPECT_THROW(read_junit_xml(text), Failure) << text;
  }
}

TEST(OrderingReport, TextIsFoundUnescaped) {
  const CaseReport report =
      read_ordering_json("a_vs_b", R"({"violations": [{"says": "the \"abort\" was lost"}]})", 1);
  EXPECT_TRUE(report.failed);
  EXPECT_NE(report.text.find("the \"abort\" was lost"), std::string::npos);
  EXPECT_FALSE(read_ordering_json("a_vs_b", "{}", 0).failed);
}

TEST(OrderingReport, UnknownScenarioIsNoTest) {
  const CaseReport report = read_ordering_json("no_such", "", 2);
  EXPECT_TRUE(report.ran.empty());
}

TEST(OrderingReport, OtherExitCodesAreNoVerdict) {
  EXPECT_THROW(read_ordering_json("a_vs_b", "{}", 64), Failure);
  EXPECT_THROW(read_ordering_json("a_vs_b", "not json", 1), Failure);
}

}  // namespace
}  // namespace overbite::sabotage
