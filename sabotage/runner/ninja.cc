#include "sabotage/runner/ninja.h"

#include <fmt/format.h>

#include <cstddef>

#include "sabotage/runner/failure.h"
#include "sabotage/runner/process.h"
#include "sabotage/runner/text.h"

namespace overbite::sabotage {
namespace {

std::string escape(std::string_view text, std::string_view special) {
  std::string escaped;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) {
      escaped += '$';
    }
    escaped += c;
  }
  return escaped;
}

std::string path(std::string_view text) { return escape(text, "$ :"); }

std::string query(const Workspace& workspace, const std::vector<std::string>& arguments) {
  Command command{{"ninja", "-C", workspace.build_dir.string(), "-t"}, {}, {}, {}};
  command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
  const Finished finished = run_process(command);
  if (!finished.ok()) {
    throw Failure(Exit::kInternal,
                  fmt::format("ninja -t {}: {}: {}",
                              arguments.front(),
                              describe_end(finished),
                              first_line(finished.err + finished.out)));
  }
  return finished.out;
}

}  // namespace

std::string ninja_file(const std::vector<NinjaEdge>& edges) {
  std::string text =
      "# Written by overbite-sabotage; every variant of the server's libraries is one edge or "
      "two.\n"
      "ninja_required_version = 1.10\n"
      "builddir = sabotage/variants\n"
      "rule compile\n  command = $run\n  description = $note\n  deps = gcc\n  depfile = $out.d\n"
      "rule link\n  command = $run\n  description = $note\n";
  for (const NinjaEdge& edge : edges) {
    text += fmt::format(
        "build {}: {} |", path(edge.output.string()), edge.has_depfile ? "compile" : "link");
    for (const std::string& input : edge.inputs) {
      text += " " + path(input);
    }
    text += fmt::format(
        "\n  run = {}\n  note = {}\n", escape(edge.command, "$"), escape(edge.description, "$"));
  }
  return text;
}

std::map<std::string, std::string> failed_edges(std::string_view ninja_output) {
  constexpr std::string_view kFailed = "FAILED: ";
  std::map<std::string, std::string> failed;
  std::string* current = nullptr;
  bool command_line = false;
  for (const std::string_view line : split_lines(ninja_output)) {
    if (line.starts_with(kFailed)) {
      current = &failed[std::string(trim(line.substr(kFailed.size())))];
      command_line = true;
    } else if (command_line) {
      command_line = false;
    } else if (line.starts_with('[') || line.starts_with("ninja: ")) {
      current = nullptr;
    } else if (current != nullptr) {
      current->append(line).append("\n");
    }
  }
  return failed;
}

std::set<std::string> query_targets(const Workspace& workspace) {
  std::set<std::string> targets;
  const std::string output = query(workspace, {"targets", "all"});
  for (const std::string_view line : split_lines(output)) {
    targets.emplace(line.substr(0, line.rfind(':')));
  }
  return targets;
}

std::string query_commands(const Workspace& workspace, const std::string& target) {
  return query(workspace, {"commands", target});
}

NinjaResult run_ninja(const Workspace& workspace,
                      const std::string& file,
                      const std::vector<std::string>& targets,
                      int jobs) {
  Command command{
      {"ninja", "-C", workspace.build_dir.string(), "-k", "0", "-j", std::to_string(jobs)},
      {},
      {},
      {}};
  if (!file.empty()) {
    command.argv.insert(command.argv.end(), {"-f", file});
  }
  command.argv.insert(command.argv.end(), targets.begin(), targets.end());
  const Finished finished = run_process(command);
  return {finished.how == Finished::How::kExited ? finished.code : -1, finished.out + finished.err};
}

}  // namespace overbite::sabotage
