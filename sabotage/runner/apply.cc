#include "sabotage/runner/apply.h"

#include <fmt/format.h>

#include <cstddef>
#include <vector>

#include "sabotage/runner/failure.h"
#include "sabotage/runner/guards.h"
#include "sabotage/runner/text.h"

namespace overbite::sabotage {
namespace {

namespace fs = std::filesystem;

std::string line_directive(std::size_t line, const fs::path& name) {
  std::string quoted;
  for (const char c : name.string()) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
    }
    quoted += c;
  }
  return fmt::format("#line {} \"{}\"\n", line, quoted);
}

// Index of the one line of `lines` that carries the patch's guard.
std::size_t find_guard(const Patch& patch, const std::vector<std::string_view>& lines) {
  std::size_t found = lines.size();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (guard_on(lines[i]) != patch.id) {
      continue;
    }
    if (found != lines.size()) {
      throw Failure(Exit::kStale,
                    fmt::format("{} carries guard '{}' twice, at lines {} and {}",
                                patch.source.string(),
                                patch.id,
                                found + 1,
                                i + 1));
    }
    found = i;
  }
  if (found == lines.size()) {
    throw Failure(Exit::kStale,
                  fmt::format("{} carries no guard '{}'", patch.source.string(), patch.id));
  }
  return found;
}

void check_context(const Patch& patch,
                   const std::vector<std::string_view>& lines,
                   std::size_t guard) {
  const Hunk& hunk = patch.hunk;
  if (guard < hunk.guarded || guard - hunk.guarded + hunk.old_lines.size() > lines.size()) {
    throw Failure(Exit::kStale,
                  fmt::format("{} does not apply: its hunk reaches beyond the ends of {}",
                              patch.file.string(),
                              patch.source.string()));
  }
  const std::size_t start = guard - hunk.guarded;
  for (std::size_t i = 0; i < hunk.old_lines.size(); ++i) {
    if (lines[start + i] != hunk.old_lines[i]) {
      throw Failure(Exit::kStale,
                    fmt::format("{} does not apply: {}:{} reads '{}', the patch expects '{}'",
                                patch.file.string(),
                                patch.source.string(),
                                start + i + 1,
                                lines[start + i],
                                hunk.old_lines[i]));
    }
  }
}

}  // namespace

Patched apply_patch(const Patch& patch, std::string_view source, const fs::path& name) {
  const std::vector<std::string_view> lines = split_lines(source);
  const std::size_t guard = find_guard(patch, lines);
  check_context(patch, lines, guard);

  Patched patched;
  patched.guard_line = static_cast<int>(guard) + 1;
  patched.moved_by =
      patched.guard_line - patch.hunk.first_line - static_cast<int>(patch.hunk.guarded);
  patched.text = line_directive(1, name);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i != guard) {
      patched.text.append(lines[i]).append("\n");
      continue;
    }
    for (const std::string& replacement : patch.hunk.replacement) {
      patched.text.append(replacement).append("\n");
    }
    if (patch.hunk.replacement.empty()) {
      patched.text += '\n';
    } else if (patch.hunk.replacement.size() > 1) {
      patched.text += line_directive(guard + 2, name);
    }
  }
  return patched;
}

std::string unchanged_copy(std::string_view source, const fs::path& name) {
  std::string text = line_directive(1, name);
  text += source;
  if (!source.ends_with('\n')) {
    text += '\n';
  }
  return text;
}

}  // namespace overbite::sabotage
