// Runs one named test on one set of libraries and notes everything a verdict may rest on.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "sabotage/runner/judge.h"
#include "sabotage/runner/library.h"
#include "sabotage/runner/patch.h"
#include "sabotage/runner/workspace.h"

namespace overbite::sabotage {

struct TestRun {
  TestName test;
  std::filesystem::path library_dir;  // in front of LD_LIBRARY_PATH; holds the libraries under test
  std::chrono::milliseconds limit{0};
  bool write_bytecode = false;  // the baseline fills Python's bytecode cache, the others read it
};

// Thread-safe: any number of tests may run at once, each in a scratch directory of its own.
class TestRunner {
 public:
  explicit TestRunner(Workspace workspace) : workspace_(std::move(workspace)) {}

  // Throws Failure(kInternal) if the program cannot be started.
  Observation run(const TestRun& run) const;

  // The command that repeats the run by hand, without time limit and report; for messages.
  std::string by_hand(const TestName& test, const std::filesystem::path& library_dir) const;

  const Workspace& workspace() const { return workspace_; }

 private:
  std::map<std::string, std::string> environment(const TestRun& run,
                                                 const std::filesystem::path& scratch) const;

  Workspace workspace_;
};

}  // namespace overbite::sabotage
