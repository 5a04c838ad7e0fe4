#include "sabotage/runner/library.h"

namespace overbite::sabotage {
namespace {

// The one GoogleTest program that explores, and has nothing of the server.
constexpr std::string_view kExplorerTests = "ordering_test";

}  // namespace

std::string_view library_file(Library library) {
  switch (library) {
    case Library::kServer:
      return "liboverbite_server.so";
    case Library::kOrdering:
      return "liboverbite_handoff_ordering.so";
    case Library::kExplorer:
      break;
  }
  return "liboverbite_ordering.so";
}

std::set<Library> loaded_by(const TestName& test) {
  if (test.type == TestType::kOrdering) {
    return {Library::kOrdering, Library::kExplorer};
  }
  const bool explores = test.type == TestType::kGtest && test.place == kExplorerTests;
  return {explores ? Library::kExplorer : Library::kServer};
}

Library library_of(const Patch& patch, const TestName& test) {
  const std::set<Library> loaded = loaded_by(test);
  const bool of_explorer = *patch.source.begin() == "ordering";
  return of_explorer && loaded.contains(Library::kExplorer) ? Library::kExplorer : *loaded.begin();
}

std::set<Library> libraries_of(const Patch& patch) {
  std::set<Library> needed;
  for (const Killer& killer : patch.killers) {
    needed.insert(library_of(patch, killer.name));
  }
  for (const TestName& control : patch.controls) {
    needed.insert(library_of(patch, control));
  }
  return needed;
}

std::vector<BuiltLibrary> expected_by(const TestName& test, const LibrarySet& libraries) {
  std::vector<BuiltLibrary> expected;
  for (const Library library : loaded_by(test)) {
    const auto built = libraries.find(library);
    if (built != libraries.end()) {
      expected.push_back(built->second);
    }
  }
  return expected;
}

}  // namespace overbite::sabotage
