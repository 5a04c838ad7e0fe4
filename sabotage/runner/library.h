// The shared libraries a variant may replace.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "sabotage/runner/patch.h"

namespace overbite::sabotage {

enum class Library {
  kServer,    // under GoogleTest and pytest
  kOrdering,  // server/handoff again, instrumented, under the interleaving explorer
};

std::string_view library_file(Library library);

// The library under tests of this type.
Library library_of(TestType type);

// What the patch's killers and controls need.
std::set<Library> libraries_of(const Patch& patch);

// One copy of a library on disk, as a test must report it.
struct BuiltLibrary {
  std::filesystem::path path;  // absolute, links resolved
  std::string build_id;

  bool operator==(const BuiltLibrary&) const = default;
};

using LibrarySet = std::map<Library, BuiltLibrary>;

}  // namespace overbite::sabotage
