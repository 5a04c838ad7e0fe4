#include "sabotage/runner/test_runner.h"

#include <fmt/format.h>

#include <cstdlib>
#include <functional>
#include <utility>

#include "sabotage/runner/process.h"
#include "sabotage/runner/reports.h"
#include "sabotage/runner/shell_words.h"
#include "sabotage/runner/text.h"

namespace overbite::sabotage {
namespace {

namespace fs = std::filesystem;

std::string node_id(const TestName& test) { return test.place + "::" + test.test; }

std::string search_path(const Workspace& workspace, const fs::path& library_dir) {
  std::string path = library_dir.string();
  if (library_dir != workspace.lib_dir()) {
    path += ":" + workspace.lib_dir().string();
  }
  const char* inherited = std::getenv("LD_LIBRARY_PATH");  // NOLINT: nobody writes it
  if (inherited != nullptr && *inherited != '\0') {
    path.append(":").append(inherited);
  }
  return path;
}

// The test's command without what only the runner needs.
std::vector<std::string> plain_command(const Workspace& workspace, const TestName& test) {
  switch (test.type) {
    case TestType::kGtest:
      return {(workspace.bin_dir() / test.place).string(), "--gtest_filter=" + test.test};
    case TestType::kPytest:
      return {workspace.python.string(), "-m", "pytest", node_id(test), "-p", "no:cacheprovider"};
    case TestType::kOrdering:
      break;
  }
  return {(workspace.bin_dir() / "overbite-order").string(),
          "run",
          test.test,
          "--model",
          test.place,
          "--json"};
}

void take_report(const fs::path& file,
                 const std::function<CaseReport(std::string_view)>& read,
                 Observation& seen) {
  if (!fs::exists(file)) {
    seen.report_problem = "no report";
    return;
  }
  try {
    seen.report = read(read_file(file));
  } catch (const Failure& failure) {
    seen.report_problem = failure.what();
  }
}

}  // namespace

std::map<std::string, std::string> TestRunner::environment(const TestRun& run,
                                                           const fs::path& scratch) const {
  std::map<std::string, std::string> environment = {
      {"LD_LIBRARY_PATH", search_path(workspace_, run.library_dir)},
      // Python compares bytecode by second and size, so two edits within a second would run the old
      // code: the cache is ours alone, and every baseline starts it afresh.
      {"PYTHONPYCACHEPREFIX", (workspace_.state_dir() / "pycache").string()},
      {"PYTHONDONTWRITEBYTECODE", run.write_bytecode ? "" : "1"},  // "" is as good as unset
  };
  // The server's interpreter finds its packages by it, as after "activate".
  const fs::path prefix = workspace_.python.parent_path().parent_path();
  if (fs::exists(prefix / "pyvenv.cfg")) {
    environment["VIRTUAL_ENV"] = prefix.string();
  }
  if (run.test.type == TestType::kPytest) {
    const fs::path library = run.library_dir / library_file(Library::kServer);
    environment["OVERBITE_BIN_DIR"] = workspace_.bin_dir().string();
    environment["OVERBITE_EXPECT_LIBRARY"] = library.string();
    environment["OVERBITE_LIBRARY_PROOF"] = (scratch / "library-proof").string();
  }
  return environment;
}

Observation TestRunner::run(const TestRun& run) const {
  const ScratchDirectory scratch(workspace_);
  const fs::path report = scratch.path() / "report";
  Command command{plain_command(workspace_, run.test), {}, {}, run.limit};
  command.directory = run.test.type == TestType::kPytest ? workspace_.source_dir : scratch.path();
  command.environment = environment(run, scratch.path());

  Observation seen;
  switch (run.test.type) {
    case TestType::kGtest:
      command.argv.push_back("--gtest_output=json:" + report.string());
      seen.finished = run_process(command);
      take_report(report, read_gtest_json, seen);
      seen.loaded = read_library_lines(seen.finished.out);
      break;
    case TestType::kPytest: {
      command.argv.insert(command.argv.end(),
                          {"-q", "--color=no", "--junitxml=" + report.string()});
      seen.finished = run_process(command);
      take_report(report, read_junit_xml, seen);
      const fs::path proof = scratch.path() / "library-proof";
      seen.loaded = read_library_lines(fs::exists(proof) ? read_file(proof) : "");
      break;
    }
    case TestType::kOrdering: {
      // The explorer owns its output while it runs; which library it has, it tells beforehand.
      Command version = command;
      version.argv = {command.argv.front(), "--version"};
      seen.loaded = read_library_lines(run_process(version).out);
      seen.finished = run_process(command);
      if (seen.finished.how == Finished::How::kExited) {
        try {
          seen.report = read_ordering_json(run.test.test, seen.finished.out, seen.finished.code);
        } catch (const Failure& failure) {
          seen.report_problem = failure.what();
        }
      }
      break;
    }
  }
  return seen;
}

std::string TestRunner::by_hand(const TestName& test, const fs::path& library_dir) const {
  std::string command = "LD_LIBRARY_PATH=" + shell_quote(library_dir.string()) + " ";
  if (test.type == TestType::kPytest) {
    command += "OVERBITE_BIN_DIR=" + shell_quote(workspace_.bin_dir().string()) + " ";
  }
  return command + shell_join(plain_command(workspace_, test));
}

}  // namespace overbite::sabotage
