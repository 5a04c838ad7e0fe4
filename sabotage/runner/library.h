// The shared libraries a variant may replace.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sabotage/runner/patch.h"

namespace overbite::sabotage {

enum class Library {
  kServer,    // under GoogleTest and pytest
  kOrdering,  // server/handoff again, instrumented, under the interleaving explorer
  kExplorer,  // the explorer itself
};

inline constexpr std::array kAllLibraries = {
    Library::kServer, Library::kOrdering, Library::kExplorer};

std::string_view library_file(Library library);

// What a test loads of them; it says so of each.
std::set<Library> loaded_by(const TestName& test);

// The one that has to be the patch's variant when the test runs: the explorer's for a patch of
// ordering/, else the one that holds the server's code.
Library library_of(const Patch& patch, const TestName& test);

// What the patch's killers and controls need.
std::set<Library> libraries_of(const Patch& patch);

// One copy of a library on disk, as a test must report it.
struct BuiltLibrary {
  std::filesystem::path path;  // absolute, links resolved
  std::string build_id;

  bool operator==(const BuiltLibrary&) const = default;
};

using LibrarySet = std::map<Library, BuiltLibrary>;

// Those of `libraries` that the test loads.
std::vector<BuiltLibrary> expected_by(const TestName& test, const LibrarySet& libraries);

}  // namespace overbite::sabotage
