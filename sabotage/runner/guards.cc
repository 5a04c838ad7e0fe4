#include "sabotage/runner/guards.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "sabotage/runner/failure.h"
#include "sabotage/runner/text.h"

namespace overbite::sabotage {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMarker = "// guard:";
constexpr std::array<std::string_view, 6> kSourceExtensions = {
    ".cc", ".h", ".c", ".cpp", ".hpp", ".inc"};

std::vector<fs::path> source_files(const fs::path& source_dir) {
  const fs::path server = source_dir / "server";
  if (!fs::is_directory(server)) {
    throw Failure(Exit::kUsage, "no folder " + server.string() + ": is --source-dir right?");
  }
  std::vector<fs::path> files;
  for (const fs::path& root : {server, source_dir / "ordering"}) {
    if (!fs::is_directory(root)) {
      continue;
    }
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root)) {
      const std::string extension = entry.path().extension().string();
      if (entry.is_regular_file() && std::ranges::count(kSourceExtensions, extension) > 0) {
        files.push_back(entry.path().lexically_relative(source_dir));
      }
    }
  }
  std::ranges::sort(files);
  return files;
}

void scan_file(const fs::path& source_dir, const fs::path& file, GuardScan& scan) {
  const std::string text = read_file(source_dir / file);
  int number = 0;
  for (const std::string_view line : split_lines(text)) {
    ++number;
    if (line.find(kMarker) == std::string_view::npos) {
      continue;
    }
    const std::string where = fmt::format("{}:{}", file.string(), number);
    const std::optional<std::string> id = guard_on(line);
    if (!id) {
      scan.problems.push_back(where +
                              ": not a guard: the line must end in '// guard: <id>', with "
                              "an id of lower-case words and hyphens");
    } else if (file.extension() != ".cc") {
      scan.problems.push_back(fmt::format(
          "{}: guard '{}' is in a header: the loader would pick the test's own copy of that "
          "code, so guards live in .cc files",
          where,
          *id));
    } else {
      scan.guards.push_back({*id, file, number});
    }
  }
}

}  // namespace

bool valid_guard_id(std::string_view id) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  };
  return !id.empty() && std::ranges::all_of(id, allowed) && id.front() != '-' && id.back() != '-' &&
         id.find("--") == std::string_view::npos;
}

std::optional<std::string> guard_on(std::string_view line) {
  const std::size_t marker = line.find(kMarker);
  if (marker == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view rest = line.substr(marker + kMarker.size());
  const std::string_view id = trim(rest);
  if (!rest.starts_with(' ') || !valid_guard_id(id)) {
    return std::nullopt;
  }
  return std::string(id);
}

GuardScan scan_guards(const fs::path& source_dir) {
  GuardScan scan;
  for (const fs::path& file : source_files(source_dir)) {
    scan_file(source_dir, file, scan);
  }
  std::map<std::string, const Guard*> seen;
  for (const Guard& guard : scan.guards) {
    const auto [first, is_new] = seen.emplace(guard.id, &guard);
    if (!is_new) {
      scan.problems.push_back(fmt::format("{}:{}: guard '{}' is already at {}:{}",
                                          guard.file.string(),
                                          guard.line,
                                          guard.id,
                                          first->second->file.string(),
                                          first->second->line));
    }
  }
  return scan;
}

}  // namespace overbite::sabotage
