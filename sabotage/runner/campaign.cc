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
  const Patch& patch;
  fs::path directory;
  const LibrarySet& libraries;

  const BuiltLibrary& expected(const TestName& test) const {
    return libraries.at(library_of(patch, test));
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
  TestResult result{test, "green", judge_green(test, seen, {variant.expected(test)}), 0};
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

// A test, and the libraries it runs on.
struct PipelineRun {
  TestName test;
  fs::path directory;
};

std::vector<PipelineResult> run_pipeline(
    const TestRunner& runner,
    const std::vector<PipelineRun>& runs,
    std::string_view variant,
    const Baseline& baseline,
    int jobs,
    Progress& progress,
    const std::function<PipelineResult(const PipelineRun&, const Observation&)>& decide) {
  std::vector<PipelineResult> results(runs.size());
  progress.begin(variant, runs.size());
  parallel_for(runs.size(), jobs, [&](std::size_t i) {
    const auto& [test, directory] = runs[i];
    const BaselineEntry& entry = baseline_of(runner.workspace(), baseline, test);
    const Observation seen = runner.run({test, directory, time_limit(entry), false});
    results[i] = decide(runs[i], seen);
    progress.advance(test.spec);
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
  const UnderTest under{
      *entry.patch, variant_library_dir(runner.workspace(), entry.id), variant.libraries};
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
  std::vector<PipelineRun> runs;
  for (const TestName& test : tests) {
    runs.push_back({test, variant_library_dir(runner.workspace(), kNullVariant)});
  }
  const auto decide = [&](const PipelineRun& run, const Observation& seen) {
    const std::vector<BuiltLibrary> expected = expected_by(run.test, variants.null);
    if (expected.empty()) {
      return PipelineResult{
          run.test, {Verdict::kHarnessError, "no null variant of its library"}, false};
    }
    const Judgement judgement = judge_green(run.test, seen, expected);
    return PipelineResult{run.test, judgement, judgement.verdict == Verdict::kSurvived};
  };
  return run_pipeline(runner, runs, kNullVariant, baseline, jobs, progress, decide);
}

std::vector<PipelineResult> run_canary(const TestRunner& runner,
                                       const std::vector<TestName>& tests,
                                       const VariantSet& variants,
                                       const Baseline& baseline,
                                       int jobs,
                                       Progress& progress) {
  std::vector<PipelineRun> one_each;  // of each program, on each library that it loads
  for (const auto& [library, canary] : variants.canary) {
    std::set<std::pair<TestType, std::string>> seen_places;
    for (const TestName& test : tests) {
      if (loaded_by(test).contains(library) && seen_places.emplace(test.type, test.place).second) {
        one_each.push_back({test, canary.path.parent_path()});
      }
    }
  }
  const auto decide = [&](const PipelineRun& run, const Observation& seen) {
    const Judgement judgement = judge_canary(run.test, seen);
    return PipelineResult{run.test, judgement, judgement.verdict == Verdict::kKilled};
  };
  return run_pipeline(runner, one_each, kCanaryVariant, baseline, jobs, progress, decide);
}

}  // namespace overbite::sabotage
