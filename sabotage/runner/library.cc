#include "sabotage/runner/library.h"

namespace overbite::sabotage {

std::string_view library_file(Library library) {
  return library == Library::kServer ? "liboverbite_server.so" : "liboverbite_handoff_ordering.so";
}

Library library_of(TestType type) {
  return type == TestType::kOrdering ? Library::kOrdering : Library::kServer;
}

std::set<Library> libraries_of(const Patch& patch) {
  std::set<Library> needed;
  for (const Killer& killer : patch.killers) {
    needed.insert(library_of(killer.name.type));
  }
  for (const TestName& control : patch.controls) {
    needed.insert(library_of(control.type));
  }
  return needed;
}

}  // namespace overbite::sabotage
