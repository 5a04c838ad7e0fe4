// Every named test, without any patch: it has to be green each time, and how long it takes sets
// the time limit of the runs that follow.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "sabotage/runner/catalogue.h"
#include "sabotage/runner/judge.h"
#include "sabotage/runner/library.h"
#include "sabotage/runner/progress.h"
#include "sabotage/runner/test_runner.h"

namespace overbite::sabotage {

struct BaselineEntry {
  TestName test;
  Judgement judgement;  // kSurvived is green
  double seconds = 0;   // the slowest run
  std::string stamp;    // of the program or file the test comes from

  bool green() const { return judgement.verdict == Verdict::kSurvived; }
};

struct Baseline {
  LibrarySet libraries;                        // what the tests ran on
  std::map<std::string, BaselineEntry> tests;  // by spec
};

// The tests the patches name, killers and controls, each once, by spec.
std::vector<TestName> named_tests(const std::vector<CatalogueEntry>& patches);

struct BaselineOptions {
  int repeat_native = 3;  // gtest and ordering
  int repeat_pytest = 1;
  int jobs = 1;
};

Baseline measure_baseline(const TestRunner& runner,
                          const std::vector<TestName>& tests,
                          const LibrarySet& libraries,
                          const BaselineOptions& options,
                          Progress& progress);

// Adds to the note in <build>/sabotage/state what this baseline measured on the same libraries.
void save_baseline(const Workspace& workspace, const Baseline& baseline);

// Throws Failure(kBaseline) when none was measured, or on other libraries than `libraries`.
Baseline load_baseline(const Workspace& workspace, const LibrarySet& libraries);

// The entry of `test`. Throws Failure(kBaseline) when there is none, or when its program has
// changed since.
const BaselineEntry& baseline_of(const Workspace& workspace,
                                 const Baseline& baseline,
                                 const TestName& test);

// How long a test may take under a patch: 4 x its slowest green run + 5 s, + 30 s for pytest.
std::chrono::milliseconds time_limit(const BaselineEntry& entry);

}  // namespace overbite::sabotage
