#include <fmt/format.h>

#include <cerrno>
#include <nlohmann/json.hpp>

#include "ordering/program.h"
#include "ordering/report/report_json.h"
#include "ordering/report/timeline.h"

namespace overbite::ordering {

namespace {

const char* verdict_word(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPass:
      return "pass";
    case Verdict::kFail:
      return "FAIL";
    case Verdict::kIncomplete:
      return "incomplete";
    case Verdict::kStopped:
      return "stopped";
    case Verdict::kNotArmed:
      return "not armed";
  }
  return "?";
}

// The rung of the ladder that was climbed, or not to its end.
std::string rung(const ScenarioReport& report) {
  switch (report.exploration.verdict) {
    case Verdict::kPass:
      return report.rung;
    case Verdict::kFail:
      return report.rung + ", failed after";
    default:
      return report.rung + ", not completed";
  }
}

const char* model_word(const ScenarioReport& report) {
  const bool brute = report.strategy == StrategyName::kBruteForce;
  return report.model == Model::kSc || brute ? "sc" : "rc11";
}

// A failing run with all that is to be said of it.
struct Told {
  explicit Told(const ScenarioReport& report)
      : history(report.exploration.failed),
        lines(source_lines_of(report.exploration.failed)),
        timeline(make_timeline(
            history, lines, explain(history, lines, report.passes_without_last_switch))) {}
  History history;
  SourceLookup lines;
  Timeline timeline;
};

std::string painted(const std::string& text, Verdict verdict) {
  return fmt::format("\033[{}m{}\033[0m", verdict == Verdict::kPass ? 32 : 31, text);
}

}  // namespace

std::string summary_line(const ScenarioReport& report, bool colour) {
  const Exploration& run = report.exploration;
  const std::string word = verdict_word(run.verdict);
  std::string counts = fmt::format("{} executions", run.executions);
  if (run.cut != 0 || run.assumed != 0) {
    counts += fmt::format(" ({} cut{})",
                          run.cut,
                          run.assumed != 0 ? fmt::format(", {} assumed away", run.assumed) : "");
  }
  if (report.strategy == StrategyName::kBruteForce && run.verdict == Verdict::kPass) {
    counts += fmt::format(" ({} distinct)", report.distinct);
  }
  return fmt::format("{}: {}, {}: {}, {:.1f} ms{}\n",
                     report.name,
                     colour ? painted(word, run.verdict) : word,
                     rung(report),
                     counts,
                     run.elapsed_ms,
                     run.reason.empty() ? "" : ": " + run.reason);
}

std::string failure_text(const ScenarioReport& report, bool colour) {
  if (report.exploration.verdict != Verdict::kFail) {
    return {};
  }
  std::string text = to_text(Told(report).timeline, colour);
  if (!report.replay.empty()) {
    text += fmt::format("replay: {} replay {} {}\n",
                        ::program_invocation_name,  // as it was called: the line can be pasted
                        report.name,
                        report.replay);
  }
  return text;
}

nlohmann::json to_json(const std::vector<ScenarioReport>& reports) {
  nlohmann::json all = nlohmann::json::array();
  for (const ScenarioReport& report : reports) {
    const Exploration& run = report.exploration;
    nlohmann::json entry = {{"scenario", report.name},
                            {"verdict", verdict_word(run.verdict)},
                            {"model", model_word(report)},
                            {"rung", rung(report)},
                            {"executions", run.executions},
                            {"cut", run.cut},
                            {"assumed", run.assumed},
                            {"steps", run.steps},
                            {"elapsed_ms", run.elapsed_ms}};
    if (!run.reason.empty()) {
      entry["reason"] = run.reason;
    }
    if (report.strategy == StrategyName::kBruteForce) {
      entry["distinct"] = report.distinct;
    }
    if (run.verdict == Verdict::kFail) {
      if (!report.replay.empty()) {
        entry["replay"] = report.replay;
      }
      const Told told(report);
      entry["failure"] = failure_json(told.history, told.lines, told.timeline);
    }
    all.push_back(std::move(entry));
  }
  return {{"schema", kJsonSchema}, {"scenarios", std::move(all)}};
}

}  // namespace overbite::ordering
