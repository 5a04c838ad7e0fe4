// From a source file and a patch to the source file with its guard broken.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "sabotage/runner/patch.h"

namespace overbite::sabotage {

struct Patched {
  std::string text;
  int guard_line = 0;  // of the guarded line in the source as it is now; 1 is the first
  int moved_by = 0;    // lines by which the guard has moved since the patch was written
};

// No fuzz, and no offset but the guard's own: the hunk is laid over the one line that carries the
// guard, and every line of it must be there, byte for byte. The result opens with a #line directive
// naming `name`, and code after the replaced line keeps its numbers, so that __FILE__, __LINE__ and
// messages are the original's, and a patch without effect gives the very same object.
// Throws Failure(kStale) with one line: the guard is missing or doubled, or a line differs.
Patched apply_patch(const Patch& patch, std::string_view source, const std::filesystem::path& name);

// The same copy with nothing changed: the null variant, and what "no effect" is compared with.
std::string unchanged_copy(std::string_view source, const std::filesystem::path& name);

}  // namespace overbite::sabotage
