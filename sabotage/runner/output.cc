#include "sabotage/runner/output.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sabotage/runner/shell_words.h"
#include "sabotage/runner/text.h"

namespace overbite::sabotage {
namespace {

constexpr std::size_t kVerdictWidth = 17;  // of "killed-otherwise" and a blank

std::string painted(std::string_view text, bool good, std::size_t width, bool color) {
  std::string padded = fmt::format("{:<{}}", text, width);
  if (!color) {
    return padded;
  }
  return fmt::format("\x1b[{}m{}\x1b[0m", good ? 32 : 31, padded);
}

std::string repeat_command(const PatchResult& result, const Workspace& workspace) {
  return fmt::format("{} run --build-dir {} --id {}",
                     shell_quote((workspace.build_dir / "bin" / "overbite-sabotage").string()),
                     shell_quote(workspace.build_dir.string()),
                     result.entry.id);
}

std::string guard_place(const PatchResult& result) {
  if (!result.entry.patch) {
    return {};
  }
  const std::string source = result.entry.patch->source.string();
  return result.guard_line == 0 ? source : fmt::format("{}:{}", source, result.guard_line);
}

// The block below the line of a patch that was not killed as declared.
std::string describe_trouble(const PatchResult& result, const TestRunner& runner) {
  const auto row = [](std::string_view key, std::string_view value) {
    return value.empty() ? std::string() : fmt::format("    {:<9} {}\n", key, value);
  };
  std::string text = row("patch", result.entry.file.string()) + row("guard", guard_place(result));
  if (result.entry.patch) {
    text += row("harm", result.entry.patch->harm);
  }
  const TestResult* deciding = result.deciding();
  if (deciding != nullptr) {
    text += row("expected", fmt::format("{}: {}", deciding->test.spec, deciding->expected));
  } else if (result.entry.patch) {
    for (const Killer& killer : result.entry.patch->killers) {
      text +=
          row("expected",
              fmt::format("{}: {} \"{}\"", killer.name.spec, kind_name(killer.kind), killer.text));
    }
  }
  text += row("happened", result.judgement.detail);
  text += row("repeat", repeat_command(result, runner.workspace()));
  if (deciding != nullptr) {
    text += row(
        "or",
        runner.by_hand(deciding->test, variant_library_dir(runner.workspace(), result.entry.id)));
  }
  return text;
}

}  // namespace

std::string describe(const PatchResult& result,
                     const TestRunner& runner,
                     const OutputStyle& style) {
  const bool good = result.judgement.verdict == Verdict::kKilled;
  std::string test;
  std::string text;
  if (result.entry.patch) {
    const std::vector<Killer>& killers = result.entry.patch->killers;
    test = killers.front().name.spec;
    text = killers.front().text.empty() ? "" : fmt::format("  \"{}\"", killers.front().text);
    if (killers.size() > 1) {
      text += fmt::format("  and {} more", killers.size() - 1);
    }
  }
  std::string line =
      fmt::format("{} {:<{}}  {}{}  {:.2f} s\n",
                  painted(verdict_name(result.judgement.verdict), good, kVerdictWidth, style.color),
                  result.entry.id,
                  style.id_width,
                  test,
                  text,
                  result.seconds);
  return good ? line : line + describe_trouble(result, runner);
}

std::string describe(std::string_view step,
                     const PipelineResult& result,
                     const OutputStyle& style) {
  const bool good = result.as_it_should;
  const bool null = step == "null";
  const std::string_view state = good == null ? "green" : "red";
  return fmt::format("{} {:<5}  {}{}\n",
                     painted(step, good, 8, style.color),
                     state,
                     result.test.spec,
                     good ? "" : "\n    happened  " + result.judgement.detail);
}

std::string describe(const BaselineEntry& entry, const OutputStyle& style) {
  return fmt::format("{} {:<5}  {}  {:.2f} s{}\n",
                     painted("baseline", entry.green(), 8, style.color),
                     entry.green() ? "green" : "red",
                     entry.test.spec,
                     entry.seconds,
                     entry.green() ? "" : "\n    happened  " + entry.judgement.detail);
}

std::string summarize(const std::vector<PatchResult>& results, double seconds) {
  std::map<Verdict, int> counts;
  for (const PatchResult& result : results) {
    ++counts[result.judgement.verdict];
  }
  std::string parts;
  for (const auto& [verdict, count] : counts) {
    parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", count, verdict_name(verdict));
  }
  return fmt::format("{}: {} ({:.1f} s)\n", counted(results.size(), "patch", "es"), parts, seconds);
}

std::string explain(const CatalogueEntry& entry, const TestRunner& runner) {
  if (!entry.patch) {
    return entry.problem + "\n";
  }
  const Patch& patch = *entry.patch;
  std::string text = fmt::format("{}\n  patch    {}\n  source   {}\n  harm     {}\n",
                                 entry.id,
                                 entry.file.string(),
                                 patch.source.string(),
                                 patch.harm);
  if (!patch.origin.empty()) {
    text += fmt::format("  origin   {}\n", patch.origin);
  }
  const auto by_hand = [&](const TestName& test) {
    if (runner.workspace().build_dir.empty()) {
      return std::string();
    }
    return fmt::format("           {}\n",
                       runner.by_hand(test, variant_library_dir(runner.workspace(), entry.id)));
  };
  for (const Killer& killer : patch.killers) {
    text += fmt::format("  killer   {} has to go red: {} \"{}\"\n{}",
                        killer.name.spec,
                        kind_name(killer.kind),
                        killer.text,
                        by_hand(killer.name));
  }
  for (const TestName& control : patch.controls) {
    text += fmt::format("  control  {} has to stay green\n{}", control.spec, by_hand(control));
  }
  return text + "\n" + patch.diff;
}

}  // namespace overbite::sabotage
