#include "ordering/program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "ordering/explore/samples.h"
#include "ordering/explore/schedules.h"
#include "ordering/loaded_program.h"
#include "ordering/report/history.h"
#include "ordering/report/replay_string.h"
#include "ordering/report/report_json.h"
#include "ordering/report/shrink.h"
#include "ordering/report/words.h"
#include "ordering/runtime/symbols.h"
#include "ordering/scenarios/planted.h"
#include "ordering/weaken.h"
#include "tests/support/loaded_library.h"

namespace overbite::ordering {

namespace {

constexpr const char* kHandoffLibrary = "liboverbite_handoff_ordering.so";

bool fails_by(Machine& machine, void (*body)(), FailureKind kind) {
  const Exploration found = explore_all(machine, body, Model::kSc, {});
  return found.verdict == Verdict::kFail && found.failed.failure.kind == kind;
}

// An explorer that observes nothing passes everything: why it must not be believed, or "".
std::string why_not_armed(Machine& machine) {
  if (!fails_by(machine, &planted_lost_update, FailureKind::kRequirement)) {
    return "a planted lost update was not found";
  }
  if (!fails_by(machine, &planted_race, FailureKind::kDataRace)) {
    return "a planted data race was not found";
  }
  Replay once(machine, {}, 0);
  machine.begin_exploration();
  once.begin();
  Execution probe = machine.run(&planted_handoff_probe, once);
  once.record(probe);
  const bool seen = std::any_of(probe.events.begin(), probe.events.end(), [](const Event& event) {
    return event.op.kind == OpKind::kRmw && is_in_file(event.op.pc, kHandoffLibrary);
  });
  return seen ? std::string() : fmt::format("no atomic of {} was observed", kHandoffLibrary);
}

const Scenario* find(const std::string& name) {
  const auto& all = scenarios();
  const auto found = std::find_if(
      all.begin(), all.end(), [&](const Scenario& scenario) { return name == scenario.name; });
  return found == all.end() ? nullptr : &*found;
}

int unknown(const std::string& name) {
  std::fprintf(stderr,
               "overbite-order: no scenario \"%s\" (overbite-order list names them)\n",
               name.c_str());
  return kExitUsage;
}

bool arm(Machine& machine) {
  const std::string why = why_not_armed(machine);
  if (!why.empty()) {
    std::fprintf(stderr, "overbite-order: not armed: %s\n", why.c_str());
  }
  return why.empty();
}

std::string rung_of(const RunOptions& options) {
  std::string rung;
  switch (options.strategy) {
    case StrategyName::kExhaustive:
      rung = options.model == Model::kSc ? "exhaustive SC" : "exhaustive RC11";
      break;
    case StrategyName::kBruteForce:
      rung = options.preemptions < 0
                 ? "brute force SC"
                 : fmt::format("at most {} preemptions, SC", options.preemptions);
      break;
    case StrategyName::kRandom:
      rung = fmt::format("random SC, seed {}", options.seed);
      break;
    case StrategyName::kPct:
      rung = fmt::format("PCT of depth {}, SC, seed {}", options.depth, options.seed);
      break;
  }
  return options.shard.count == 1
             ? rung
             : fmt::format(
                   "shard {}/{} of {}", options.shard.number + 1, options.shard.count, rung);
}

void explore_scenario(Machine& machine,
                      const Scenario& scenario,
                      const RunOptions& options,
                      ScenarioReport& report) {
  ExploreLimits limits = options.limits;
  if (options.strategy == StrategyName::kExhaustive) {
    report.exploration = explore_all(machine, scenario.body, options.model, limits, options.shard);
  } else if (options.strategy == StrategyName::kBruteForce) {
    BruteForce search(machine, options.preemptions);
    report.exploration = explore(machine, scenario.body, search, limits);
    report.distinct = search.distinct();
  } else if (options.strategy == StrategyName::kRandom) {
    limits.executions_max = options.runs + 1;
    RandomWalk search(machine, options.runs, options.seed);
    report.exploration = explore(machine, scenario.body, search, limits);
  } else {
    limits.executions_max = options.runs + 1;
    Pct search(machine, options.depth, options.runs, options.seed);
    report.exploration = explore(machine, scenario.body, search, limits);
    report.chance = search.chance();
  }
}

ScenarioReport run_one(Machine& machine, const Scenario& scenario, const RunOptions& options) {
  ScenarioReport report;
  report.name = scenario.name;
  report.strategy = options.strategy;
  report.model = options.model;
  report.rung = rung_of(options);
  explore_scenario(machine, scenario, options, report);
  Exploration& exploration = report.exploration;
  const bool samples =
      options.strategy == StrategyName::kRandom || options.strategy == StrategyName::kPct;
  if (samples && exploration.verdict == Verdict::kPass) {
    // No failure among the samples establishes nothing.
    exploration.verdict = Verdict::kIncomplete;
    exploration.reason = report.chance > 0 ? fmt::format(
                                                 "no failure seen; one run finds one of this depth "
                                                 "with a chance of at least 1/{:.0f}",
                                                 1 / report.chance)
                                           : "no failure seen";
  }
  if (exploration.verdict == Verdict::kFail) {
    Shrunk shrunk = shrink(machine, scenario.body, exploration.failed);
    exploration.failed = std::move(shrunk.failed);
    const bool race = !exploration.failed.race.empty() || !exploration.failed.sites.empty();
    exploration.reason =
        race ? failure_words(exploration.failed, source_lines_of(exploration.failed))
             : exploration.failed.failure.message;
    report.passes_without_last_switch = shrunk.passes_without_last_switch;
    if (shrunk.replayed) {
      report.replay = to_replay_string(steps_of(exploration.failed.events));
    }
  }
  return report;
}

// The cheap ones first.
std::vector<RunOptions> rungs_of(const RunOptions& options) {
  std::vector<RunOptions> rungs;
  for (const Model model : options.models) {
    rungs.push_back(options);
    rungs.back().model = model;
  }
  if (!options.ladder) {
    return rungs;
  }
  rungs.clear();
  for (int preemptions = 0; preemptions <= 2; ++preemptions) {
    rungs.push_back(options);
    rungs.back().strategy = StrategyName::kBruteForce;
    rungs.back().preemptions = preemptions;
  }
  for (const Model model : {Model::kSc, Model::kRc11}) {
    rungs.push_back(options);
    rungs.back().strategy = StrategyName::kExhaustive;
    rungs.back().model = model;
  }
  return rungs;
}

int exit_code(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPass:
      return kExitPass;
    case Verdict::kFail:
      return kExitFailed;
    case Verdict::kIncomplete:
      return kExitIncomplete;
    default:
      return kExitNotArmed;
  }
}

// What is worse wins: no harness, a failure, an open question.
int worse(int a, int b) {
  const auto rank = [](int code) {
    return code == kExitNotArmed ? 3 : code == kExitFailed ? 2 : code == kExitIncomplete ? 1 : 0;
  };
  return rank(a) >= rank(b) ? a : b;
}

// The program that is explored, if it is no scenario of ours.
std::optional<Scenario>& program() {
  static std::optional<Scenario> loaded;
  return loaded;
}

int load(const std::string& path, const std::vector<std::string>& arguments) {
  base::Result<LoadedProgram> loaded = load_program(path, arguments);
  if (!loaded.ok()) {
    std::fprintf(stderr, "overbite-order: %s\n", loaded.error().c_str());
    return kExitUsage;
  }
  if (const std::string& bare = loaded.value().bare; !bare.empty()) {
    std::fprintf(stderr,
                 "overbite-order: not armed: %s was not compiled with -fsanitize=thread\n",
                 bare.c_str());
    return kExitNotArmed;
  }
  program() = std::move(loaded.value().scenario);
  return kExitPass;
}

// Those that are named, or all.
int choose(const RunOptions& options, std::vector<const Scenario*>& chosen) {
  for (const std::string& name : options.scenarios) {
    if (is_program(name)) {
      if (const int code = load(name, options.arguments); code != kExitPass) {
        return code;
      }
      chosen.push_back(&*program());
      continue;
    }
    const Scenario* scenario = find(name);
    if (scenario == nullptr) {
      return unknown(name);
    }
    chosen.push_back(scenario);
  }
  if (!options.arguments.empty() && !program()) {
    std::fprintf(stderr, "overbite-order: arguments are for a program, and none is named\n");
    return kExitUsage;
  }
  for (std::size_t i = 0; options.scenarios.empty() && i < scenarios().size(); ++i) {
    chosen.push_back(&scenarios()[i]);
  }
  return kExitPass;
}

// What kind of execution a string brought back.
std::string replay_line(const std::string& name, const Execution& failed) {
  const auto weak = std::count_if(failed.events.begin(), failed.events.end(), &is_weak);
  std::string kind = "an interleaving";
  if (weak != 0) {
    kind = History(failed).is_consistent()
               ? fmt::format("RC11 only: {} reads of old values or late stores", weak)
               : "NOT POSSIBLE: RC11 forbids it, the scenario has changed";
  }
  return fmt::format("{}: fails, replayed, {}\n", name, kind);
}

bool write_page(const std::string& path, const std::vector<ScenarioReport>& reports) {
  std::ofstream file(path);
  file << html_page(to_json(reports)) << std::flush;
  if (!file) {
    std::fprintf(stderr, "overbite-order: cannot write %s\n", path.c_str());
  }
  return file.good();
}

}  // namespace

int list_scenarios() {
  for (const Scenario& scenario : scenarios()) {
    std::printf("%-36s %s\n", scenario.name, scenario.promise);
  }
  return kExitPass;
}

int run_scenarios(const RunOptions& options) {
  std::vector<const Scenario*> chosen;
  if (const int code = choose(options, chosen); code != kExitPass) {
    return code;
  }
  Machine machine;
  if (!arm(machine)) {
    return kExitNotArmed;
  }
  const bool colour = ::isatty(STDOUT_FILENO) == 1;
  std::vector<ScenarioReport> reports;
  int code = kExitPass;
  for (const Scenario* scenario : chosen) {
    for (const RunOptions& rung : rungs_of(options)) {
      {
        const QuietOutput quiet(!options.verbose);
        reports.push_back(run_one(machine, *scenario, rung));
      }
      const ScenarioReport& report = reports.back();
      code = worse(code, exit_code(report.exploration.verdict));
      if (!options.json) {
        std::fputs(summary_line(report, colour).c_str(), stdout);
        std::fputs(failure_text(report, colour).c_str(), stdout);
        std::fflush(stdout);
      }
      if (report.exploration.verdict == Verdict::kFail) {
        break;
      }
    }
  }
  if (options.json) {
    std::printf("%s\n", to_json(reports).dump(2).c_str());
  }
  return options.html.empty() || write_page(options.html, reports) ? code : kExitUsage;
}

int weaken_scenarios(const RunOptions& options) {
  std::vector<const Scenario*> chosen;
  if (const int code = choose(options, chosen); code != kExitPass) {
    return code;
  }
  Machine machine;
  if (!arm(machine)) {
    return kExitNotArmed;
  }
  const std::vector<SiteReport> sites = weaken_all(chosen, kHandoffLibrary, options.limits);
  print_sites(sites, options.json);
  const bool incomplete = std::any_of(sites.begin(), sites.end(), [](const SiteReport& site) {
    return site.verdict == SiteVerdict::kIncomplete;
  });
  return sites.empty() || incomplete ? kExitIncomplete : kExitPass;
}

int replay_scenario(const std::string& name,
                    const std::string& text,
                    const ExploreLimits& limits,
                    const std::vector<std::string>& arguments) {
  if (is_program(name)) {
    if (const int code = load(name, arguments); code != kExitPass) {
      return code;
    }
  }
  const Scenario* scenario = program() ? &*program() : find(name);
  if (scenario == nullptr) {
    return unknown(name);
  }
  base::Result<std::vector<Step>> steps = parse_replay_string(text);
  if (!steps.ok()) {
    std::fprintf(stderr, "overbite-order: %s\n", steps.error().c_str());
    return kExitUsage;
  }
  Machine machine;
  if (!arm(machine)) {
    return kExitNotArmed;
  }
  Replay search(machine, steps.value(), kReplaySignatureMask);
  ScenarioReport report;
  report.name = name;
  report.exploration = explore(machine, scenario->body, search, limits);
  const Exploration& exploration = report.exploration;
  if (exploration.verdict == Verdict::kStopped) {
    std::fprintf(stderr, "%s: %s\n", name.c_str(), exploration.reason.c_str());
    return kExitUsage;
  }
  if (exploration.verdict == Verdict::kPass) {
    std::printf("%s: this execution does not fail (one execution, nothing is established)\n",
                name.c_str());
    return kExitIncomplete;
  }
  std::fputs(replay_line(name, exploration.failed).c_str(), stdout);
  report.replay = to_replay_string(steps_of(exploration.failed.events));
  std::fputs(failure_text(report, ::isatty(STDOUT_FILENO) == 1).c_str(), stdout);
  return exit_code(exploration.verdict);
}

std::string version_text() {
  return fmt::format("overbite-order {}\n{}\n{}",
                     OVERBITE_VERSION,
                     support::loaded_library_line(kHandoffLibrary),
                     support::loaded_library_line(support::kExplorerLibrary));
}

}  // namespace overbite::ordering
