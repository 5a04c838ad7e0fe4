// Talking to ninja: asking the build what it knows, writing the variants' graph, running it.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sabotage/runner/workspace.h"

namespace overbite::sabotage {

// One edge of the variants' graph.
struct NinjaEdge {
  std::filesystem::path output;
  std::string command;              // shell text, run in the build directory
  std::vector<std::string> inputs;  // relative to the build directory, or absolute
  bool has_depfile = false;         // the command writes <output>.d
  std::string description;
};

std::string ninja_file(const std::vector<NinjaEdge>& edges);

// What every failed edge said, by its output: ninja prints "FAILED: <output>", the command, and
// then what the command printed.
std::map<std::string, std::string> failed_edges(std::string_view ninja_output);

// `ninja -t targets all`: everything the build can make.
std::set<std::string> query_targets(const Workspace& workspace);

// `ninja -t commands <target>`.
std::string query_commands(const Workspace& workspace, const std::string& target);

struct NinjaResult {
  int exit_code = 0;
  std::string output;
};

// Runs ninja in the build directory with at most `jobs` at once and does not stop at the first
// failure. `file` is relative to it; empty means the build's own build.ninja.
NinjaResult run_ninja(const Workspace& workspace,
                      const std::string& file,
                      const std::vector<std::string>& targets,
                      int jobs);

}  // namespace overbite::sabotage
