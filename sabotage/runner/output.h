// What the user reads: one line a patch, what went wrong below it, one summary line; or JSON.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sabotage/runner/campaign.h"
#include "sabotage/runner/check.h"
#include "sabotage/runner/workspace.h"

namespace overbite::sabotage {

struct OutputStyle {
  bool color = false;
  std::size_t id_width = 0;  // of the widest patch id on the list
};

// "killed            drain-ring-before-channel  ordering:...  "abort lost"  0.21 s", and for any
// other verdict the patch, the guard, what was expected, what happened and the command that repeats
// it.
std::string describe(const PatchResult& result, const TestRunner& runner, const OutputStyle& style);

// "null              gtest:...  green  0.21 s"
std::string describe(std::string_view step, const PipelineResult& result, const OutputStyle& style);
std::string describe(const BaselineEntry& entry, const OutputStyle& style);

// "12 patches: 11 killed, 1 survived (4.2 s)"
std::string summarize(const std::vector<PatchResult>& results, double seconds);

// Everything about one patch, for `explain`.
std::string explain(const CatalogueEntry& entry, const TestRunner& runner);

// The same as JSON documents; README.md describes them.
std::string patches_as_json(const std::vector<CatalogueEntry>& entries);
std::string results_as_json(const std::vector<PatchResult>& results, Exit exit);
std::string pipeline_as_json(std::string_view step,
                             const std::vector<PipelineResult>& results,
                             Exit exit);
std::string baseline_as_json(const Baseline& baseline, Exit exit);
std::string check_as_json(const CheckReport& report, Exit exit);

}  // namespace overbite::sabotage
