#include <fmt/format.h>

#include <cerrno>
#include <nlohmann/json.hpp>

#include "ordering/program.h"
#include "ordering/report/timeline.h"
#include "ordering/runtime/symbols.h"

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

std::string name_if_exported(const void* pc) {
  const std::string name = function_name(pc);
  return name.find("+0x") == std::string::npos ? name : std::string();
}

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
  return fmt::format("{}: {}, {}, {}, {:.1f} ms{}\n",
                     report.name,
                     colour ? painted(word, run.verdict) : word,
                     report.rung,
                     counts,
                     run.elapsed_ms,
                     run.reason.empty() ? "" : ": " + run.reason);
}

std::string failure_text(const ScenarioReport& report, bool colour) {
  if (report.exploration.verdict != Verdict::kFail) {
    return {};
  }
  return to_text(make_timeline(report.exploration.failed, &name_if_exported), colour) +
         fmt::format("replay: {} replay {} {}\n",
                     ::program_invocation_name,  // as it was called: the line can be pasted
                     report.name,
                     report.replay);
}

std::string to_json(const std::vector<ScenarioReport>& reports) {
  nlohmann::json all = nlohmann::json::array();
  for (const ScenarioReport& report : reports) {
    const Exploration& run = report.exploration;
    nlohmann::json entry = {{"scenario", report.name},
                            {"verdict", verdict_word(run.verdict)},
                            {"rung", report.rung},
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
      const Timeline timeline = make_timeline(run.failed, &name_if_exported);
      entry["replay"] = report.replay;
      entry["threads"] = timeline.columns;
      for (const TimelineRow& row : timeline.rows) {
        entry["timeline"].push_back(
            {{"thread", row.thread}, {"text", row.text}, {"note", row.note}});
      }
    }
    all.push_back(std::move(entry));
  }
  return nlohmann::json{{"scenarios", std::move(all)}}.dump(2);
}

}  // namespace overbite::ordering
