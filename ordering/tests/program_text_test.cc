#include <gtest/gtest.h>

#include <cerrno>
#include <string>

#include "ordering/program.h"

namespace overbite::ordering {
namespace {

TEST(ProgramText, TheReplayLineNamesTheProgramAsItWasCalled) {
  ScenarioReport report;
  report.name = "parked_vs_push";
  report.replay = "10a1";
  report.exploration.verdict = Verdict::kFail;
  const std::string text = failure_text(report, false);
  const std::string line =
      "replay: " + std::string(::program_invocation_name) + " replay parked_vs_push 10a1\n";
  EXPECT_TRUE(text.ends_with(line)) << text;
  EXPECT_NE(line.find('/'), std::string::npos) << "run the test by its path";
}

}  // namespace
}  // namespace overbite::ordering
