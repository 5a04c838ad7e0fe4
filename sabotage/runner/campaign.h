// Runs the patches' tests on the variants.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "sabotage/runner/baseline.h"
#include "sabotage/runner/catalogue.h"
#include "sabotage/runner/judge.h"
#include "sabotage/runner/progress.h"
#include "sabotage/runner/test_runner.h"
#include "sabotage/runner/variants.h"

namespace overbite::sabotage {

struct TestResult {
  TestName test;
  std::string expected;  // "assert \"<text>\"", or "green" for a control
  Judgement judgement;   // kKilled: as expected
  double seconds = 0;    // of all repeats
};

struct PatchResult {
  CatalogueEntry entry;
  int guard_line = 0;               // 0 if unknown
  Judgement judgement;              // the gravest of the tests', or why none was run
  std::vector<TestResult> results;  // killers in the patch's order, then controls
  double seconds = 0;

  // The result that speaks for the patch; null if no test was run.
  const TestResult* deciding() const;
};

struct CampaignOptions {
  int repeat = 2;
  int jobs = 1;
};

// One patch, on the thread that calls.
PatchResult run_patch(const TestRunner& runner,
                      const CatalogueEntry& entry,
                      const VariantSet& variants,
                      const Baseline& baseline,
                      int repeat);

// All of them, `options.jobs` at once; `report` is called in the order of `entries`, one at a time.
std::vector<PatchResult> run_campaign(const TestRunner& runner,
                                      const std::vector<CatalogueEntry>& entries,
                                      const VariantSet& variants,
                                      const Baseline& baseline,
                                      const CampaignOptions& options,
                                      Progress& progress,
                                      const std::function<void(const PatchResult&)>& report);

// What one test did under the null variant or the canary.
struct PipelineResult {
  TestName test;
  Judgement judgement;
  bool as_it_should = false;
};

// Every test on the null variant: all have to stay green.
std::vector<PipelineResult> run_null(const TestRunner& runner,
                                     const std::vector<TestName>& tests,
                                     const VariantSet& variants,
                                     const Baseline& baseline,
                                     int jobs,
                                     Progress& progress);

// One test of every program and pytest file on the canary: all have to go red.
std::vector<PipelineResult> run_canary(const TestRunner& runner,
                                       const std::vector<TestName>& tests,
                                       const VariantSet& variants,
                                       const Baseline& baseline,
                                       int jobs,
                                       Progress& progress);

}  // namespace overbite::sabotage
