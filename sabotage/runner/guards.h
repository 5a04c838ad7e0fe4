// Guarded lines: a line of production code whose loss would break a promise ends in
// "// guard: <id>".
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace overbite::sabotage {

struct Guard {
  std::string id;
  std::filesystem::path file;  // relative to the source directory
  int line = 0;                // 1 is the first
};

struct GuardScan {
  std::vector<Guard> guards;          // by file and line
  std::vector<std::string> problems;  // one line each: a guard in a header, twice, badly written
};

// Lower-case words and digits joined by single hyphens.
bool valid_guard_id(std::string_view id);

// The id if `line` ends in a well-formed guard comment.
std::optional<std::string> guard_on(std::string_view line);

// Reads every C and C++ file under <source_dir>/server, which has to be there, and /ordering.
// Throws Failure(kUsage).
GuardScan scan_guards(const std::filesystem::path& source_dir);

}  // namespace overbite::sabotage
