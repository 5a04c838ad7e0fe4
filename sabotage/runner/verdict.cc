#include "sabotage/runner/verdict.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace overbite::sabotage {
namespace {

struct Row {
  Verdict verdict;
  std::string_view name;
  Exit exit;
};

constexpr std::array<Row, 12> kRows = {{
    {Verdict::kKilled, "killed", Exit::kAllBite},
    {Verdict::kKilledOtherwise, "killed-otherwise", Exit::kWrongReason},
    {Verdict::kTimeout, "timeout", Exit::kWrongReason},
    {Verdict::kFlakyKill, "flaky-kill", Exit::kWrongReason},
    {Verdict::kSurvived, "survived", Exit::kSurvivor},
    {Verdict::kNoEffect, "no-effect", Exit::kSurvivor},
    {Verdict::kStale, "stale", Exit::kStale},
    {Verdict::kNoTestsRan, "no-tests-ran", Exit::kStale},
    {Verdict::kBuildFailed, "build-failed", Exit::kBuild},
    {Verdict::kBaselineRed, "baseline-red", Exit::kBaseline},
    {Verdict::kWrongLibrary, "wrong-library", Exit::kInternal},
    {Verdict::kHarnessError, "harness-error", Exit::kInternal},
}};

const Row& row_of(Verdict verdict) { return *std::ranges::find(kRows, verdict, &Row::verdict); }

}  // namespace

std::string_view verdict_name(Verdict verdict) { return row_of(verdict).name; }

std::optional<Verdict> parse_verdict(std::string_view name) {
  const auto* row = std::ranges::find(kRows, name, &Row::name);
  return row == kRows.end() ? std::nullopt : std::optional(row->verdict);
}

Exit exit_of(Verdict verdict) { return row_of(verdict).exit; }

Exit exit_of(const std::vector<Verdict>& verdicts) {
  constexpr std::array kGravestFirst = {Exit::kInternal,
                                        Exit::kBaseline,
                                        Exit::kBuild,
                                        Exit::kStale,
                                        Exit::kSurvivor,
                                        Exit::kWrongReason};
  for (const Exit exit : kGravestFirst) {
    if (std::ranges::any_of(verdicts, [&](Verdict verdict) { return exit_of(verdict) == exit; })) {
      return exit;
    }
  }
  return Exit::kAllBite;
}

}  // namespace overbite::sabotage
