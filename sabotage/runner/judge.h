// From one run of one test to a verdict. Pure: all that was seen comes in, nothing is run.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sabotage/runner/library.h"
#include "sabotage/runner/patch.h"
#include "sabotage/runner/process.h"
#include "sabotage/runner/reports.h"
#include "sabotage/runner/verdict.h"

namespace overbite::sabotage {

// What one run of one test showed.
struct Observation {
  Finished finished;
  std::optional<CaseReport> report;  // absent if the program wrote none
  std::string report_problem;        // why there is none, or why it is unreadable
  // What the test says it has loaded, from every "overbite-library:" line.
  std::vector<BuiltLibrary> loaded;
};

struct Judgement {
  Verdict verdict = Verdict::kHarnessError;
  std::string detail;  // one line: what happened
};

// The "overbite-library: <path> <build id>" lines in `output`.
std::vector<BuiltLibrary> read_library_lines(std::string_view output);

// Judges a killer that ran on `expected`. What it says of other libraries does not matter.
Judgement judge(const Killer& killer, const Observation& seen, const BuiltLibrary& expected);

// Judges a test that has to be green, on all of `expected`: kSurvived if it is, kKilled if it is
// plainly red, and any other verdict for what is neither.
Judgement judge_green(const TestName& test,
                      const Observation& seen,
                      const std::vector<BuiltLibrary>& expected);

// Judges a test under the library that aborts when it is loaded: kKilled if the test noticed.
Judgement judge_canary(const TestName& test, const Observation& seen);

// What the canary library prints before it aborts.
inline constexpr std::string_view kCanaryText = "overbite canary";

// Of several runs of the same killer: kKilled only if all of them are.
Judgement judge_repeats(const std::vector<Judgement>& runs);

}  // namespace overbite::sabotage
