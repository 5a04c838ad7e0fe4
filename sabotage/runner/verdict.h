// What became of one patch, and what that means for the run.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sabotage/runner/failure.h"

namespace overbite::sabotage {

// Ordered from the best to the gravest: of several killers the gravest speaks for the patch. Those
// from kStale on say that nothing was measured; a patch is never killed by them.
enum class Verdict {
  kKilled,           // every named test went red as declared, every time
  kKilledOtherwise,  // red, but with another text, kind or phase; or a control went red
  kTimeout,          // did not end, and the patch does not declare a hang
  kFlakyKill,        // red some of the times only
  kSurvived,         // green with its guard broken
  kNoEffect,         // the compiler gives the same object with and without the patch
  kStale,            // patch, guard and source no longer belong together
  kNoTestsRan,       // the name selects no test, several, or a skipped one
  kBuildFailed,      // the patched file does not compile, or the library does not link
  kBaselineRed,      // the test is red without the patch
  kWrongLibrary,     // the test did not load the variant
  kHarnessError,     // the test program did not report at all
};

std::string_view verdict_name(Verdict verdict);
std::optional<Verdict> parse_verdict(std::string_view name);

// The exit code of a run whose only verdict this is.
Exit exit_of(Verdict verdict);

// The exit code of a run with these verdicts. Causes that make the measurement worthless win over
// what it measured: 70, 4, 6, 5, then 2, 3.
Exit exit_of(const std::vector<Verdict>& verdicts);

}  // namespace overbite::sabotage
