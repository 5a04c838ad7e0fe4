// overbite-order: explores every order of what the threads of a scenario do.
#include <sys/personality.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "ordering/program.h"

namespace {

constexpr const char* kFooter =
    "Exit codes: 0 every scenario passed, explored to the end; 1 a scenario failed; 2 usage, or "
    "an\n"
    "unknown scenario; 3 incomplete: a cap was reached, nothing is established; 4 the explorer is\n"
    "not armed, or a scenario does something that is not modelled.\n"
    "A program (FILE.c, .cc, .so, or an executable) is compiled if need be; its main() is "
    "explored,\n"
    "with what stands behind \"--\" as arguments.\n"
    "A channel holds 16 datagrams a direction. Under sc every access is sequentially consistent.";

// The error names what was mistyped, which CLI11's own ("A subcommand is required") does not.
std::string usage_message(const CLI::App* app, const CLI::Error& error) {
  const std::vector<std::string> unknown = app->remaining();
  if (unknown.empty() || dynamic_cast<const CLI::RequiredError*>(&error) == nullptr) {
    return CLI::FailureMessage::simple(app, error);
  }
  return "There is no subcommand or option '" + unknown.front() +
         "'\nRun with --help for more information.\n";
}

overbite::ordering::StrategyName strategy_of(const std::string& word) {
  using overbite::ordering::StrategyName;
  return word == "brute"    ? StrategyName::kBruteForce
         : word == "random" ? StrategyName::kRandom
         : word == "pct"    ? StrategyName::kPct
                            : StrategyName::kExhaustive;
}

std::string check_shard(const std::string& text) {
  int number = 0;
  int count = 0;
  char rest = 0;
  const bool fits = std::sscanf(text.c_str(), "%d/%d%c", &number, &count, &rest) == 2;
  return fits && number >= 1 && number <= count ? std::string()
                                                : "not K/N with 1 <= K <= N: " + text;
}

// The words of --strategy, --model and --shard, until they are understood.
struct RunWords {
  std::string strategy = "exhaustive";
  std::vector<std::string> models = {"sc"};
  std::string shard = "1/1";
};

void add_run(CLI::App& app, overbite::ordering::RunOptions& options, RunWords& words, int& code) {
  using namespace overbite::ordering;
  CLI::App* run = app.add_subcommand("run", "Explore scenarios; all of them if none is named");
  run->footer(kFooter);
  run->add_option(
      "scenario", options.scenarios, "Names, as listed, or a program: FILE.c, .cc, .so");
  run->add_flag("--verbose", options.verbose, "Show what a program prints, once an execution");
  run->add_option("--strategy", words.strategy, "How the orders are chosen")
      ->check(CLI::IsMember({"exhaustive", "brute", "random", "pct"}))
      ->capture_default_str();
  run->add_option("--model", words.models, "Memory model, or several: sc,rc11")
      ->check(CLI::IsMember({"sc", "rc11"}))
      ->delimiter(',')
      ->allow_extra_args(false)  // what follows is a scenario
      ->capture_default_str();
  run->add_flag("--ladder",
                options.ladder,
                "0, 1 and 2 preemptions, then all of SC, then all of RC11; until one fails");
  run->add_option("--preemptions", options.preemptions, "Of brute: at most so many; -1: any")
      ->capture_default_str();
  run->add_option("--runs", options.runs, "Of random and pct")->capture_default_str();
  run->add_option("--depth", options.depth, "Of pct: orders that a failure may need")
      ->check(CLI::Range(1, 16))
      ->capture_default_str();
  run->add_option("--seed", options.seed, "Of random and pct")->capture_default_str();
  run->add_option("--shard", words.shard, "K/N: part K of N of an exhaustive search")
      ->check(&check_shard)
      ->capture_default_str();
  run->add_option("--max-executions", options.limits.executions_max, "Give up after so many")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  run->add_option("--max-steps", options.limits.steps_max, "Longest execution, in operations")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  run->add_option("--spurious", options.limits.spurious, "Wake-ups for no reason in each thread")
      ->check(CLI::Range(0, 8))
      ->capture_default_str();
  run->add_option("--reuse-addresses",
                  options.limits.reuses,
                  "Allocations in each thread that may get what it freed last")
      ->check(CLI::Range(0, 8))
      ->capture_default_str();
  run->add_flag("!--no-leaks", options.limits.leaks, "Memory that nobody frees is no failure");
  run->add_flag("--json", options.json, "Print one JSON document instead of lines");
  run->add_option("--html", options.html, "Write one page that shows it all, too");
  run->callback([&options, &words, &code] {
    options.strategy = strategy_of(words.strategy);
    std::sscanf(words.shard.c_str(), "%d/%d", &options.shard.number, &options.shard.count);
    --options.shard.number;
    options.models.clear();
    for (const std::string& model : words.models) {
      options.models.push_back(model == "rc11" ? Model::kRc11 : Model::kSc);
    }
    code = run_scenarios(options);
  });
}

// Addresses are the same in each run of this program, so that one that is explored and hashes its
// own does the same each time. Where the system does not allow it they are not.
void fix_addresses(char** argv) {
  const int persona = ::personality(0xffffffff);
  if (persona >= 0 && (persona & ADDR_NO_RANDOMIZE) == 0 &&
      ::personality(static_cast<unsigned long>(persona) | ADDR_NO_RANDOMIZE) >= 0) {
    ::execv("/proc/self/exe", argv);
  }
}

}  // namespace

int main(int argc, char** argv) {
  using namespace overbite::ordering;
  fix_addresses(argv);
  // What is behind "--" belongs to the program that is explored.
  char** const end = argv + argc;
  char** const dashes = std::find(argv, end, std::string_view("--"));
  const std::vector<std::string> arguments(std::min(dashes + 1, end), end);
  CLI::App app("Explores every order of what the threads of a scenario do.", "overbite-order");
  app.footer(kFooter);
  app.failure_message(usage_message);
  app.require_subcommand(1);
  app.set_version_flag("--version", version_text());

  int code = 0;
  app.add_subcommand("list", "Name the scenarios and what each promises")->callback([&code] {
    code = list_scenarios();
  });

  RunOptions options;
  options.arguments = arguments;
  RunWords words;
  add_run(app, options, words, code);

  RunOptions weakening;
  CLI::App* weaken = app.add_subcommand(
      "weaken", "Weaken each atomic operation in turn: which are needed? Under RC11");
  weaken->add_option("scenario", weakening.scenarios, "Names, as listed; all if none is named");
  weaken->add_option("--max-executions", weakening.limits.executions_max, "Give up after so many")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  weaken->add_flag("--json", weakening.json, "Print one JSON document instead of lines");
  weaken->callback([&] { code = weaken_scenarios(weakening); });

  std::string name;
  std::string text;
  CLI::App* replay = app.add_subcommand("replay", "Run one failing execution again");
  replay->add_option("scenario", name, "Name, as listed")->required();
  replay->add_option("string", text, "What the failing run printed")->required();
  ExploreLimits replayed;
  replay->add_option("--spurious", replayed.spurious, "As of the failing run");
  replay->add_option("--reuse-addresses", replayed.reuses, "As of the failing run");
  replay->callback([&] { code = replay_scenario(name, text, replayed, arguments); });

  try {
    app.parse(static_cast<int>(dashes - argv), argv);
  } catch (const CLI::ParseError& error) {
    const int status = app.exit(error);
    return status == 0 ? 0 : kExitUsage;
  }
  return code;
}
