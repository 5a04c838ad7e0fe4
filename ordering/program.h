// What overbite-order does, apart from reading its arguments.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "ordering/explore/explorer.h"
#include "ordering/scenario.h"

namespace overbite::ordering {

// The documented exit codes, in the order in which the worst one wins.
enum ExitCode : int {
  kExitPass = 0,
  kExitFailed = 1,
  kExitUsage = 2,
  kExitIncomplete = 3,
  kExitNotArmed = 4,
};

enum class StrategyName : std::uint8_t { kExhaustive, kBruteForce, kRandom, kPct };

struct RunOptions {
  std::vector<std::string> scenarios;  // or one program; empty: all scenarios
  std::vector<std::string> arguments;  // of the program
  bool verbose = false;                // what the program prints is shown
  StrategyName strategy = StrategyName::kExhaustive;
  std::vector<Model> models = {Model::kSc};  // a line for each
  Model model = Model::kSc;                  // of one line
  Shard shard;
  int preemptions = -1;        // of brute force; < 0: no bound
  std::uint64_t runs = 10000;  // of random and pct
  int depth = 3;               // of pct
  std::uint64_t seed = 1;
  bool ladder = false;  // the rungs one after the other, until one does not pass
  ExploreLimits limits;
  bool json = false;
  std::string html;  // the file for the page; empty: none
};

// What a run of one scenario showed.
struct ScenarioReport {
  std::string name;
  StrategyName strategy = StrategyName::kExhaustive;
  Model model = Model::kSc;
  std::string rung;  // what was explored, in words
  Exploration exploration;
  std::size_t distinct = 0;             // of brute force
  std::string replay;                   // of a failure; empty: it cannot be replayed
  double chance = 0;                    // of pct: a bound for one run
  int passes_without_last_switch = -1;  // see Shrunk
};

int list_scenarios();
int run_scenarios(const RunOptions& options);
// Weakens every atomic operation of the hand-off layer in turn. Exit code: as a run.
int weaken_scenarios(const RunOptions& options);
int replay_scenario(const std::string& name,
                    const std::string& text,
                    const ExploreLimits& limits,
                    const std::vector<std::string>& arguments);
// "overbite-order 0.1.0" and the lines that name the loaded hand-off library and the explorer's.
std::string version_text();

// --- program_text.cc ---
// "<name>: pass, exhaustive SC, 57 executions (12 cut), 3.1 ms"
std::string summary_line(const ScenarioReport& report, bool colour);
std::string failure_text(const ScenarioReport& report, bool colour);
// docs/ordering-json.md says what is in it.
nlohmann::json to_json(const std::vector<ScenarioReport>& reports);

}  // namespace overbite::ordering
