#include "sabotage/runner/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "sabotage/runner/text.h"

namespace overbite::sabotage {
namespace {

// pytest's own exit codes, from its reference: 4 is a node id that does not exist.
constexpr int kPytestUsageError = 4;
constexpr int kPytestNothingCollected = 5;

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::string all_output(const Observation& seen) {
  return seen.finished.out + "\n" + seen.finished.err;
}

// The line of a failure that says most: gtest puts file:line first, pytest the assertion.
std::string failure_line(const CaseReport& report) {
  std::string joined;
  for (const std::string_view line : split_lines(report.text)) {
    if (joined.size() > 160) {
      break;
    }
    joined.append(joined.empty() ? "" : " / ").append(trim(line));
  }
  return first_line(joined, 200);
}

std::optional<Judgement> judge_library(const Observation& seen, const BuiltLibrary& expected) {
  bool told = false;
  for (const BuiltLibrary& loaded : seen.loaded) {
    if (loaded.path.filename() != expected.path.filename()) {
      continue;
    }
    told = true;
    if (loaded != expected) {
      return Judgement{Verdict::kWrongLibrary,
                       fmt::format("the test loaded {} ({}), not {} ({})",
                                   loaded.path.string(),
                                   loaded.build_id,
                                   expected.path.string(),
                                   expected.build_id)};
    }
  }
  if (!told) {
    return Judgement{Verdict::kWrongLibrary,
                     fmt::format("the test does not say which {} it loaded ({}); {}",
                                 expected.path.filename().string(),
                                 describe_end(seen.finished),
                                 first_line(all_output(seen)))};
  }
  return std::nullopt;
}

// The name selects no test, or several: nothing else about the run matters then. The server library
// need not even have been loaded.
std::optional<Judgement> judge_selection(const TestName& test, const Observation& seen) {
  if (seen.finished.how != Finished::How::kExited) {
    return std::nullopt;
  }
  const int code = seen.finished.code;
  if (test.type == TestType::kPytest &&
      (code == kPytestUsageError || code == kPytestNothingCollected)) {
    const std::string said = first_line(seen.finished.err);  // what it could not find
    return Judgement{Verdict::kNoTestsRan,
                     fmt::format("pytest ended with {}: {}",
                                 describe_end(seen.finished),
                                 said.empty() ? first_line(seen.finished.out) : said)};
  }
  if (seen.report && seen.report->ran.size() != 1) {
    return Judgement{Verdict::kNoTestsRan,
                     fmt::format("'{}' ran {} tests, not one", test.test, seen.report->ran.size())};
  }
  return std::nullopt;
}

// kSurvived if the report says green, kKilled if it says red.
Judgement judge_report(const Observation& seen) {
  if (!seen.report) {
    return {
        Verdict::kHarnessError,
        fmt::format("{}, {}; {}",
                    describe_end(seen.finished),
                    seen.report_problem,
                    first_line(seen.finished.err.empty() ? seen.finished.out : seen.finished.err))};
  }
  const CaseReport& report = *seen.report;
  if (report.failed) {
    return {Verdict::kKilled, failure_line(report)};
  }
  if (report.error) {
    return {Verdict::kKilledOtherwise,
            "an error in setup or teardown, not in the test: " + failure_line(report)};
  }
  if (seen.finished.code != 0) {
    return {
        Verdict::kKilledOtherwise,
        fmt::format("the test passed, but its program ended with {}", describe_end(seen.finished))};
  }
  return {Verdict::kSurvived, "the test passed"};
}

// What makes every further look at the run pointless.
std::optional<Judgement> judge_setting(const TestName& test,
                                       const Observation& seen,
                                       const std::vector<BuiltLibrary>& expected) {
  std::optional<Judgement> wrong = judge_selection(test, seen);
  for (const BuiltLibrary& library : expected) {
    wrong = wrong ? wrong : judge_library(seen, library);
  }
  return wrong;
}

Judgement require_text(const Killer& killer, std::string_view said, std::string what) {
  if (contains(said, killer.text)) {
    return {Verdict::kKilled, std::move(what)};
  }
  return {Verdict::kKilledOtherwise,
          fmt::format("{}, but without the text \"{}\"", what, killer.text)};
}

}  // namespace

std::vector<BuiltLibrary> read_library_lines(std::string_view output) {
  constexpr std::string_view kKey = "overbite-library: ";
  std::vector<BuiltLibrary> loaded;
  for (std::string_view line : split_lines(output)) {
    line = trim(line);
    const std::size_t space = line.rfind(' ');
    if (line.starts_with(kKey) && space > kKey.size()) {
      loaded.push_back({std::string(trim(line.substr(kKey.size(), space - kKey.size()))),
                        std::string(line.substr(space + 1))});
    }
  }
  return loaded;
}

Judgement judge(const Killer& killer, const Observation& seen, const BuiltLibrary& expected) {
  if (const auto wrong = judge_setting(killer.name, seen, {expected})) {
    return *wrong;
  }
  const std::string output = all_output(seen);
  switch (seen.finished.how) {
    case Finished::How::kTimedOut:
      if (killer.kind == KillKind::kHang) {
        return require_text(killer, output, "ran into " + describe_end(seen.finished));
      }
      return {Verdict::kTimeout, "ran into " + describe_end(seen.finished)};
    case Finished::How::kSignalled:
      if (killer.kind == KillKind::kCrash) {
        return require_text(killer, output, "ended by " + describe_end(seen.finished));
      }
      return {Verdict::kKilledOtherwise,
              fmt::format("ended by {}, declared is '{}'; {}",
                          describe_end(seen.finished),
                          kind_name(killer.kind),
                          first_line(seen.finished.err))};
    case Finished::How::kExited:
      break;
  }
  Judgement plain = judge_report(seen);
  if (plain.verdict != Verdict::kKilled) {
    return plain;
  }
  if (killer.kind == KillKind::kCrash || killer.kind == KillKind::kHang) {
    return {Verdict::kKilledOtherwise,
            fmt::format("failed, declared is '{}': {}", kind_name(killer.kind), plain.detail)};
  }
  if (!contains(seen.report->text, killer.text)) {
    return {Verdict::kKilledOtherwise,
            fmt::format("failed, but not with \"{}\": {}", killer.text, plain.detail)};
  }
  return plain;
}

Judgement judge_green(const TestName& test,
                      const Observation& seen,
                      const std::vector<BuiltLibrary>& expected) {
  if (const auto wrong = judge_setting(test, seen, expected)) {
    return *wrong;
  }
  if (seen.finished.how != Finished::How::kExited) {
    return {Verdict::kKilled, "ended by " + describe_end(seen.finished)};
  }
  return judge_report(seen);
}

Judgement judge_canary(const TestName& test, const Observation& seen) {
  const bool spoke = contains(all_output(seen), kCanaryText);
  if (seen.finished.ok()) {
    return {Verdict::kSurvived, "the test passed under a library that aborts when it is loaded"};
  }
  // pytest starts the server as another process and may keep its last words to itself: then it
  // fails in a test, or it says how that process ended.
  const bool plainly_red = test.type == TestType::kPytest &&
                           seen.finished.how == Finished::How::kExited &&
                           (seen.finished.code == 1 || contains(all_output(seen), "SIGABRT"));
  if (spoke || plainly_red) {
    return {Verdict::kKilled, describe_end(seen.finished)};
  }
  return {Verdict::kHarnessError,
          fmt::format("red, but nothing says that the library aborted: {}; {}",
                      describe_end(seen.finished),
                      first_line(all_output(seen)))};
}

Judgement judge_repeats(const std::vector<Judgement>& runs) {
  const auto killed = std::ranges::count(runs, Verdict::kKilled, &Judgement::verdict);
  if (killed == std::ssize(runs)) {
    return runs.front();
  }
  const Judgement gravest = *std::ranges::max_element(runs, {}, &Judgement::verdict);
  const bool measured = gravest.verdict < Verdict::kStale;
  if (killed > 0 && measured) {
    return {Verdict::kFlakyKill,
            fmt::format("killed {} of {} times; otherwise {}: {}",
                        killed,
                        runs.size(),
                        verdict_name(gravest.verdict),
                        gravest.detail)};
  }
  return gravest;
}

}  // namespace overbite::sabotage
