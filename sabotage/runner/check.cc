#include "sabotage/runner/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <string_view>

#include "sabotage/runner/apply.h"
#include "sabotage/runner/baseline.h"
#include "sabotage/runner/failure.h"
#include "sabotage/runner/guards.h"
#include "sabotage/runner/process.h"
#include "sabotage/runner/text.h"

namespace overbite::sabotage {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kListLimit{30};  // for a program that only prints its tests

// Knows which tests exist, asking each program once.
class TestIndex {
 public:
  explicit TestIndex(const Workspace& workspace) : workspace_(workspace) {}

  // Why there is no such test; nothing if there is.
  std::optional<std::string> problem(const TestName& test) {
    switch (test.type) {
      case TestType::kGtest:
        return listed(test, test.place, {"--gtest_list_tests"}, parse_gtest_list);
      case TestType::kPytest:
        return pytest_problem(test);
      case TestType::kOrdering:
        break;
    }
    return listed(test, "overbite-order", {"list"}, first_words);
  }

 private:
  using Parser = std::vector<std::string> (*)(std::string_view);

  static std::vector<std::string> first_words(std::string_view output) {
    std::vector<std::string> words;
    for (const std::string_view line : split_lines(output)) {
      const std::string_view text = trim(line);
      words.emplace_back(text.substr(0, text.find_first_of(" \t")));
    }
    return words;
  }

  std::optional<std::string> listed(const TestName& test,
                                    const std::string& program,
                                    const std::vector<std::string>& arguments,
                                    Parser parse) {
    const fs::path path = workspace_.bin_dir() / program;
    if (!fs::exists(path)) {
      return fmt::format("no program {}", path.string());
    }
    auto known = programs_.find(program);
    if (known == programs_.end()) {
      Command command{{path.string()}, workspace_.build_dir, {}, kListLimit};
      command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
      const Finished finished = run_process(command);
      if (!finished.ok()) {
        return fmt::format("{} cannot list its tests: {}; {}",
                           path.string(),
                           describe_end(finished),
                           first_line(finished.err));
      }
      known = programs_.emplace(program, parse(finished.out)).first;
    }
    if (std::ranges::count(known->second, test.test) == 0) {
      return fmt::format("{} has no test {}", program, test.test);
    }
    return std::nullopt;
  }

  std::optional<std::string> pytest_problem(const TestName& test) const {
    const fs::path path = workspace_.source_dir / test.place;
    if (!fs::exists(path)) {
      return fmt::format("no file {}", test.place);
    }
    if (!defines_pytest(read_file(path), test.test)) {
      return fmt::format("{} does not define {}", test.place, test.test);
    }
    return std::nullopt;
  }

  const Workspace& workspace_;
  std::map<std::string, std::vector<std::string>> programs_;
};

void check_application(const Workspace& workspace, const Patch& patch, CheckReport& report) {
  const fs::path source = workspace.source_dir / patch.source;
  if (!fs::exists(source)) {
    report.problems.push_back(fmt::format(
        "{}: patches {}, which does not exist", patch.file.string(), patch.source.string()));
    return;
  }
  try {
    const Patched patched = apply_patch(patch, read_file(source), source);
    if (patched.moved_by != 0) {
      report.notes.push_back(fmt::format("{}: its guard moved by {:+} to {}:{}",
                                         patch.file.string(),
                                         patched.moved_by,
                                         patch.source.string(),
                                         patched.guard_line));
    }
  } catch (const Failure& failure) {
    report.problems.emplace_back(failure.what());
  }
}

void check_pairs(const std::vector<CatalogueEntry>& patches,
                 const GuardScan& scan,
                 CheckReport& report) {
  std::set<std::string> patched;
  for (const CatalogueEntry& entry : patches) {
    patched.insert(entry.id);
  }
  for (const Guard& guard : scan.guards) {
    if (!patched.contains(guard.id)) {
      report.problems.push_back(
          fmt::format("{}:{}: guard '{}' has no patch", guard.file.string(), guard.line, guard.id));
    }
  }
}

}  // namespace

std::vector<std::string> parse_gtest_list(std::string_view output) {
  std::vector<std::string> tests;
  std::string suite;
  for (const std::string_view line : split_lines(output)) {
    const std::string_view name = trim(line.substr(0, line.find('#')));
    if (line.starts_with(' ')) {
      tests.push_back(suite + std::string(name));
    } else {
      suite = name;
    }
  }
  return tests;
}

bool defines_pytest(std::string_view source, std::string_view test) {
  test = test.substr(0, test.find('['));
  while (!test.empty()) {
    const std::size_t separator = test.find("::");
    const bool last = separator == std::string_view::npos;
    const std::string name(test.substr(0, separator));
    if (!std::ranges::all_of(name, [](char c) { return std::isalnum(c) != 0 || c == '_'; })) {
      return false;
    }
    const std::regex definition(last ? "(^|\\n)[ \\t]*(async[ \\t]+)?def[ \\t]+" + name +
                                           "[ \\t]*\\("
                                     : "(^|\\n)class[ \\t]+" + name + "\\b");
    if (!std::regex_search(source.begin(), source.end(), definition)) {
      return false;
    }
    test = last ? std::string_view() : test.substr(separator + 2);
  }
  return true;
}

CheckReport check_tree(const Workspace& workspace, const std::vector<CatalogueEntry>& patches) {
  const GuardScan scan = scan_guards(workspace.source_dir);
  CheckReport report{patches.size(), scan.guards.size(), scan.problems, {}};
  check_pairs(patches, scan, report);
  TestIndex index(workspace);
  bool unlisted = false;
  for (const CatalogueEntry& entry : patches) {
    if (!entry.patch) {
      report.problems.push_back(entry.problem);
      continue;
    }
    check_application(workspace, *entry.patch, report);
    for (const TestName& test : named_tests({entry})) {
      if (workspace.build_dir.empty() && test.type != TestType::kPytest) {
        unlisted = true;
      } else if (const auto problem = index.problem(test)) {
        report.problems.push_back(
            fmt::format("{}: {}: {}", entry.file.string(), test.spec, *problem));
      }
    }
  }
  if (unlisted) {
    report.notes.emplace_back("no build directory: gtest and ordering tests were not looked up");
  }
  return report;
}

}  // namespace overbite::sabotage
