#include "sabotage/runner/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "sabotage/runner/failure.h"

namespace overbite::sabotage {
namespace {

namespace fs = std::filesystem;

std::string describe_expected(const Killer& killer) {
  if (killer.text.empty()) {
    return std::string(kind_name(killer.kind));
  }
  return fmt::format("{} \"{}\"", kind_name(killer.kind), killer.text);
}

// The libraries of one variant, and what a test that loaded them must say.
struct UnderTest {
  fs::path directory;
  const LibrarySet& libraries;

  const BuiltLibrary& expected(const TestName& test) const {
    return libraries.at(library_of(test.type));
  }
};

TestResult run_killer(const TestRunner& runner,
                      const Killer& killer,
                      const UnderTest& variant,
                      std::chrono::milliseconds limit,
                      int repeat) {
  TestResult result{killer.name, describe_expected(killer), {}, 0};
  std::vector<Judgement> runs;
  for (int i = 0; i < repeat; ++i) {
    const Observation seen = runner.run({killer.name, variant.directory, limit, false});
    runs.push_back(judge(killer, seen, variant.expected(killer.name)));
    result.seconds += seen.finished.seconds;
    if (runs.back().verdict == Verdict::kTimeout) {
      break;  // the dear one, and repeating it would not make it better
    }
  }
  result.judgement = judge_repeats(runs);
  return result;
}

TestResult run_control(const TestRunner& runner,
                       const TestName& test,
                       const UnderTest& variant,
                       std::chrono::milliseconds limit) {
  const Observation seen = runner.run({test, variant.directory, limit, false});
  TestResult result{test, "green", judge_green(test, seen, variant.expected(test)), 0};
  result.seconds = seen.finished.seconds;
  if (result.judgement.verdict == Verdict::kSurvived) {
    result.judgement.verdict = Verdict::kKilled;
  } else if (result.judgement.verdict == Verdict::kKilled) {
    result.judgement = {Verdict::kKilledOtherwise,
                        "the control is red as well, so the patch breaks more than its guard: " +
                            result.judgement.detail};
  }
  return result;
}

std::optional<Judgement> red_baseline(const TestRunner& runner,
                                      const Baseline& baseline,
                                      const CatalogueEntry& entry) {
  for (const TestName& test : named_tests({entry})) {
    const BaselineEntry& measured = baseline_of(runner.workspace(), baseline, test);
    if (measured.green()) {
      continue;
    }
    const bool plainly_red = measured.judgement.verdict < Verdict::kStale;
    return Judgement{plainly_red ? Verdict::kBaselineRed : measured.judgement.verdict,
                     fmt::format("{}: {}", test.spec, measured.judgement.detail)};
  }
  return std::nullopt;
}

std::vector<PipelineResult> run_pipeline(
    const TestRunner& runner,
    const std::vector<TestName>& tests,
    std::string_view variant,
    const Baseline& baseline,
    int jobs,
    Progress& progress,
    const std::function<PipelineResult(const TestName&, const Observation&)>& decide) {
  std::vector<PipelineResult> results(tests.size());
  const fs::path directory = variant_library_dir(runner.workspace(), variant);
  progress.begin(variant, tests.size());
  parallel_for(tests.size(), jobs, [&](std::size_t i) {
    const BaselineEntry& entry = baseline_of(runner.workspace(), baseline, tests[i]);
    const Observation seen = runner.run({tests[i], directory, time_limit(entry), false});
    results[i] = decide(tests[i], seen);
    progress.advance(tests[i].spec);
  });
  progress.clear();
  return results;
}

}  // namespace

const TestResult* PatchResult::deciding() const {
  const auto at = std::ranges::max_element(
      results, {}, [](const TestResult& result) { return result.judgement.verdict; });
  return at == results.end() ? nullptr : &*at;
}

PatchResult run_patch(const TestRunner& runner,
                      const CatalogueEntry& entry,
                      const VariantSet& variants,
                      const Baseline& baseline,
                      int repeat) {
  PatchResult result{entry, 0, {}, {}, 0};
  const auto found = variants.patches.find(entry.id);
  if (!entry.patch) {
    result.judgement = {Verdict::kStale, entry.problem};
    return result;
  }
  if (found == variants.patches.end()) {
    result.judgement = {Verdict::kBuildFailed, "not built yet: run overbite-sabotage build"};
    return result;
  }
  const Variant& variant = found->second;
  result.guard_line = variant.guard_line;
  if (variant.verdict) {
    result.judgement = *variant.verdict;
    return result;
  }
  if (const auto red = red_baseline(runner, baseline, entry)) {
    result.judgement = *red;
    return result;
  }
  const UnderTest under{variant_library_dir(runner.workspace(), entry.id), variant.libraries};
  const auto limit = [&](const TestName& test) {
    return time_limit(baseline_of(runner.workspace(), baseline, test));
  };
  for (const Killer& killer : entry.patch->killers) {
    result.results.push_back(run_killer(runner, killer, under, limit(killer.name), repeat));
  }
  for (const TestName& control : entry.patch->controls) {
    result.results.push_back(run_control(runner, control, under, limit(control)));
  }
  for (const TestResult& test : result.results) {
    result.seconds += test.seconds;
  }
  result.judgement = result.deciding()->judgement;
  return result;
}

std::vector<PatchResult> run_campaign(const TestRunner& runner,
                                      const std::vector<CatalogueEntry>& entries,
                                      const VariantSet& variants,
                                      const Baseline& baseline,
                                      const CampaignOptions& options,
                                      Progress& progress,
                                      const std::function<void(const PatchResult&)>& report) {
  std::vector<std::optional<PatchResult>> slots(entries.size());
  std::size_t reported = 0;
  std::mutex reporting;
  progress.begin("patches", entries.size());
  parallel_for(entries.size(), options.jobs, [&](std::size_t i) {
    PatchResult result = run_patch(runner, entries[i], variants, baseline, options.repeat);
    progress.advance(entries[i].id);
    const std::lock_guard lock(reporting);
    slots[i] = std::move(result);
    for (; reported < slots.size() && slots[reported]; ++reported) {
      progress.clear();
      report(*slots[reported]);
    }
  });
  progress.clear();
  std::vector<PatchResult> results;
  for (std::optional<PatchResult>& slot : slots) {
    results.push_back(std::move(*slot));
  }
  return results;
}

std::vector<PipelineResult> run_null(const TestRunner& runner,
                                     const std::vector<TestName>& tests,
                                     const VariantSet& variants,
                                     const Baseline& baseline,
                                     int jobs,
                                     Progress& progress) {
  const auto decide = [&](const TestName& test, const Observation& seen) {
    const auto library = variants.null.find(library_of(test.type));
    if (library == variants.null.end()) {
      return PipelineResult{
          test, {Verdict::kHarnessError, "no null variant of its library"}, false};
    }
    const Judgement judgement = judge_green(test, seen, library->second);
    return PipelineResult{test, judgement, judgement.verdict == Verdict::kSurvived};
  };
  return run_pipeline(runner, tests, kNullVariant, baseline, jobs, progress, decide);
}

std::vector<PipelineResult> run_canary(const TestRunner& runner,
                                       const std::vector<TestName>& tests,
                                       const VariantSet& variants,
                                       const Baseline& baseline,
                                       int jobs,
                                       Progress& progress) {
  std::vector<TestName> one_each;
  std::set<std::pair<TestType, std::string>> seen_places;
  for (const TestName& test : tests) {
    if (variants.canary.contains(library_of(test.type)) &&
        seen_places.emplace(test.type, test.place).second) {
      one_each.push_back(test);
    }
  }
  const auto decide = [&](const TestName& test, const Observation& seen) {
    const Judgement judgement = judge_canary(test, seen);
    return PipelineResult{test, judgement, judgement.verdict == Verdict::kKilled};
  };
  return run_pipeline(runner, one_each, kCanaryVariant, baseline, jobs, progress, decide);
}

}  // namespace overbite::sabotage
