// overbite-sabotage: breaks the server one guarded line at a time and demands that the tests named
// for that line go red.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <exception>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "sabotage/runner/commands.h"
#include "sabotage/runner/failure.h"
#include "sabotage/runner/process.h"

namespace {

namespace sabotage = overbite::sabotage;
using sabotage::Exit;

constexpr const char* kFooter = R"(
Exit codes:
    0  every selected patch was killed as declared
    1  usage: an option, a directory, an unknown patch id
    2  a survivor: a test stayed green with its guard broken, or the patch has no effect
    3  red for the wrong reason: other text or kind, a timeout, not every time
    4  baseline: a named test is red without a patch, or no baseline was measured
    5  stale: a patch does not apply, a guard or a patch has no partner, a killer does not exist
    6  build: the server, a variant or the pipeline does not compile or link
   70  internal: the measurement is not to be trusted (wrong library, no report)
  130  interrupted
Of several causes the one that makes the result worthless wins: 70, 4, 6, 5, 2, 3.)";

// The error names what was mistyped, which CLI11's own ("A subcommand is required") does not.
std::string usage_message(const CLI::App* app, const CLI::Error& error) {
  const std::vector<std::string> unknown = app->remaining();
  if (unknown.empty() || dynamic_cast<const CLI::RequiredError*>(&error) == nullptr) {
    return CLI::FailureMessage::simple(app, error);
  }
  return "There is no subcommand or option '" + unknown.front() +
         "'\nRun with --help for more information.\n";
}

struct CommandLine {
  CLI::App app{"Sabotages the server one guarded line at a time; the named tests must go red."};
  sabotage::Options options;
  std::string shard;
  bool no_color = false;
  std::function<Exit(const sabotage::Options&)> command;

  CommandLine() {
    app.require_subcommand(1);
    app.footer(kFooter);
    app.failure_message(usage_message);
    options.jobs = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    add("list", "Print the patches", sabotage::list_patches, {.selects = true});
    add("check", "Patches, guards and tests belong together (needs no build)", sabotage::check, {});
    add("build",
        "Build every variant",
        sabotage::build,
        {.selects = true, .jobs = true, .keeps_going = true});
    add("baseline",
        "Run every named test without a patch",
        sabotage::baseline,
        {.selects = true, .jobs = true, .baseline = true, .keeps_going = true});
    add("null",
        "Run every named test on the unchanged variant: green",
        sabotage::null_variant,
        {.selects = true, .jobs = true});
    add("canary",
        "Run every kind of test on a library that aborts: red",
        sabotage::canary,
        {.selects = true, .jobs = true});
    CLI::App* run = add("run",
                        "Build, baseline, null, canary, then every patch",
                        sabotage::run,
                        {.selects = true, .jobs = true, .baseline = true});
    run->add_option("--repeat", options.campaign.repeat, "Runs of each killer; all must be red")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    run->add_flag("--built",
                  options.built,
                  "Trust the variants and the baseline that 'build' and 'baseline' left");
    add("explain", "Print everything about one patch", sabotage::explain_patch, {})
        ->add_option("id", options.explained, "The patch")
        ->required();
  }

 private:
  struct Takes {
    bool selects = false;
    bool jobs = false;
    bool baseline = false;
    bool keeps_going = false;
  };

  CLI::App* add(const std::string& name,
                const std::string& description,
                Exit (*function)(const sabotage::Options&),
                Takes takes) {
    CLI::App* sub = app.add_subcommand(name, description);
    sub->callback([this, function] { command = function; });
    sub->add_option("--build-dir", options.workspace.build_dir, "Default: the one of this program");
    sub->add_option("--source-dir", options.workspace.source_dir, "Default: the build's own");
    sub->add_option("--python", options.workspace.python, "Interpreter of the pytest killers");
    sub->add_flag("--json", options.json, "One JSON document instead of lines");
    sub->add_flag("--no-color", no_color, "Also: not a terminal, or NO_COLOR is set");
    if (takes.selects) {
      sub->add_option("--id", options.selection.ids, "Only this patch; may be repeated")
          ->expected(1)
          ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
      sub->add_option("--shard", shard, "k/n: the k-th of n parts of the patches");
    }
    if (takes.jobs) {
      sub->add_option("-j,--jobs", options.jobs, "Compiles, and tests, at once")
          ->check(CLI::Range(1, 1024))
          ->capture_default_str();
    }
    if (takes.baseline) {
      sub->add_option("--baseline", options.baseline.repeat_native, "Green runs of gtest, ordering")
          ->check(CLI::Range(1, 1000))
          ->capture_default_str();
      sub->add_option(
             "--baseline-pytest", options.baseline.repeat_pytest, "Green runs of pytest tests")
          ->check(CLI::Range(1, 1000))
          ->capture_default_str();
    }
    if (takes.keeps_going) {
      sub->add_flag("--keep-going",
                    options.keep_going,
                    "Exit with 0 while any patch can be judged; the others say why in 'run'");
    }
    return sub;
  }
};

// A subcommand runs children of its own process groups, which a terminal's ^C does not reach.
void on_signal(int /*signal*/) { sabotage::request_stop(); }

void install_signal_handlers() {
  struct sigaction action{};
  action.sa_handler = on_signal;  // NOLINT: that is how POSIX declares it
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

Exit run(CommandLine& line) {
  if (!line.shard.empty()) {
    sabotage::parse_shard(line.shard, line.options.selection);
  }
  line.options.color = !line.no_color;
  line.options.campaign.jobs = line.options.jobs;
  line.options.baseline.jobs = line.options.jobs;
  return line.command(line.options);
}

}  // namespace

int main(int argc, char** argv) {
  CommandLine line;
  try {
    line.app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = line.app.exit(error);  // prints help or the error
    return code == 0 ? 0 : static_cast<int>(Exit::kUsage);
  }
  install_signal_handlers();
  try {
    return static_cast<int>(run(line));
  } catch (const sabotage::Failure& failure) {
    fmt::print(stderr, "overbite-sabotage: {}\n", failure.what());
    return static_cast<int>(failure.exit());
  } catch (const std::exception& error) {
    fmt::print(stderr, "overbite-sabotage: internal error: {}\n", error.what());
    return static_cast<int>(Exit::kInternal);
  }
}
