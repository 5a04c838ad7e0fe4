#include "sabotage/runner/baseline.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "sabotage/runner/failure.h"
#include "sabotage/runner/text.h"

namespace overbite::sabotage {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// A green run may take this long; a test that names a patch's promise takes well under a second.
constexpr std::chrono::minutes kBaselineLimit{1};

// On top of four times the slowest green run. A pytest case that goes red waits for its client's
// own time limit (5 s), and its fixture for a server that does not stop (10 s): 16 s were seen.
constexpr std::chrono::seconds kNativeMargin{5};
constexpr std::chrono::seconds kPytestMargin{30};

fs::path note_file(const Workspace& workspace) { return workspace.state_dir() / "baseline.json"; }

// Size and time of the file the test comes from; "missing" without it.
std::string stamp_of(const Workspace& workspace, const TestName& test) {
  fs::path file = workspace.bin_dir() / "overbite-order";
  if (test.type == TestType::kGtest) {
    file = workspace.bin_dir() / test.place;
  } else if (test.type == TestType::kPytest) {
    file = workspace.source_dir / test.place;
  }
  struct stat status{};
  if (::stat(file.c_str(), &status) != 0) {
    return "missing";
  }
  return fmt::format("{}-{}.{}", status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

BaselineEntry measure_test(const TestRunner& runner,
                           const TestName& test,
                           const std::vector<BuiltLibrary>& libraries,
                           int repeat) {
  BaselineEntry entry{test, {}, 0, stamp_of(runner.workspace(), test)};
  if (entry.stamp == "missing") {
    entry.judgement = {Verdict::kNoTestsRan, "no such program or file"};
    return entry;
  }
  for (int i = 0; i < repeat; ++i) {
    const Observation seen =
        runner.run({test, libraries.front().path.parent_path(), kBaselineLimit, true});
    entry.judgement = judge_green(test, seen, libraries);
    entry.seconds = std::max(entry.seconds, seen.finished.seconds);
    if (!entry.green()) {
      entry.judgement.detail =
          fmt::format("run {} of {} without a patch: {}", i + 1, repeat, entry.judgement.detail);
      break;
    }
  }
  return entry;
}

json identity(const LibrarySet& libraries) {
  json object = json::object();
  for (const auto& [library, built] : libraries) {
    object[std::string(library_file(library))] = built.build_id;
  }
  return object;
}

json read_note(const Workspace& workspace) {
  const fs::path file = note_file(workspace);
  if (!fs::exists(file)) {
    return nullptr;
  }
  json note = json::parse(read_file(file), nullptr, false);
  return note.is_object() && note.contains("libraries") && note.contains("tests") ? note
                                                                                  : json(nullptr);
}

}  // namespace

std::vector<TestName> named_tests(const std::vector<CatalogueEntry>& patches) {
  std::map<std::string, TestName> tests;
  for (const CatalogueEntry& entry : patches) {
    if (!entry.patch) {
      continue;
    }
    for (const Killer& killer : entry.patch->killers) {
      tests.emplace(killer.name.spec, killer.name);
    }
    for (const TestName& control : entry.patch->controls) {
      tests.emplace(control.spec, control);
    }
  }
  std::vector<TestName> list;
  for (auto& [spec, test] : tests) {
    list.push_back(std::move(test));
  }
  return list;
}

Baseline measure_baseline(const TestRunner& runner,
                          const std::vector<TestName>& tests,
                          const LibrarySet& libraries,
                          const BaselineOptions& options,
                          Progress& progress) {
  std::error_code absent;
  fs::remove_all(runner.workspace().state_dir() / "pycache", absent);
  std::vector<BaselineEntry> entries(tests.size());
  progress.begin("baseline", tests.size());
  parallel_for(tests.size(), options.jobs, [&](std::size_t i) {
    const TestName& test = tests[i];
    const std::vector<BuiltLibrary> loaded = expected_by(test, libraries);
    if (loaded.empty()) {
      entries[i] = {test,
                    {Verdict::kHarnessError,
                     fmt::format("no {} in this build", library_file(*loaded_by(test).begin()))},
                    0,
                    ""};
    } else {
      const bool pytest = test.type == TestType::kPytest;
      const int repeat = pytest ? options.repeat_pytest : options.repeat_native;
      entries[i] = measure_test(runner, test, loaded, repeat);
    }
    progress.advance(test.spec);
  });
  progress.clear();
  Baseline baseline{libraries, {}};
  for (BaselineEntry& entry : entries) {
    const std::string spec = entry.test.spec;
    baseline.tests.emplace(spec, std::move(entry));
  }
  return baseline;
}

void save_baseline(const Workspace& workspace, const Baseline& baseline) {
  json note = read_note(workspace);
  if (note.is_null() || note.at("libraries") != identity(baseline.libraries)) {
    note = {{"libraries", identity(baseline.libraries)}, {"tests", json::object()}};
  }
  for (const auto& [spec, entry] : baseline.tests) {
    note["tests"][spec] = {{"verdict", verdict_name(entry.judgement.verdict)},
                           {"detail", entry.judgement.detail},
                           {"seconds", entry.seconds},
                           {"stamp", entry.stamp}};
  }
  write_if_different(note_file(workspace),
                     note.dump(1, ' ', false, json::error_handler_t::replace) + "\n");
}

Baseline load_baseline(const Workspace& workspace, const LibrarySet& libraries) {
  const json note = read_note(workspace);
  if (note.is_null() || note.at("libraries") != identity(libraries)) {
    throw Failure(Exit::kBaseline,
                  "no baseline was measured on these libraries: run overbite-sabotage baseline");
  }
  Baseline baseline{libraries, {}};
  try {
    for (const auto& [spec, object] : note.at("tests").items()) {
      const auto verdict = parse_verdict(object.at("verdict").get<std::string>());
      baseline.tests[spec] = {
          parse_test_name(spec),
          {verdict.value_or(Verdict::kHarnessError), object.at("detail").get<std::string>()},
          object.at("seconds").get<double>(),
          object.at("stamp").get<std::string>()};
    }
  } catch (const json::exception& error) {
    throw Failure(Exit::kBaseline,
                  fmt::format("{}: {}", note_file(workspace).string(), first_line(error.what())));
  }
  return baseline;
}

const BaselineEntry& baseline_of(const Workspace& workspace,
                                 const Baseline& baseline,
                                 const TestName& test) {
  const auto entry = baseline.tests.find(test.spec);
  if (entry == baseline.tests.end()) {
    throw Failure(Exit::kBaseline,
                  fmt::format("no baseline of {}: run overbite-sabotage baseline", test.spec));
  }
  if (entry->second.stamp != stamp_of(workspace, test)) {
    throw Failure(
        Exit::kBaseline,
        fmt::format("{} changed since its baseline: run overbite-sabotage baseline", test.spec));
  }
  return entry->second;
}

std::chrono::milliseconds time_limit(const BaselineEntry& entry) {
  using std::chrono::milliseconds;
  const milliseconds margin = entry.test.type == TestType::kPytest ? kPytestMargin : kNativeMargin;
  return margin + milliseconds(static_cast<long>(4000 * entry.seconds));
}

}  // namespace overbite::sabotage
