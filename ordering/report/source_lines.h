// Where code addresses come from in the source.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "ordering/runtime/operation.h"

namespace overbite::ordering {

struct SourceLine {
  std::string function;  // without parameters; empty: not known
  std::string file;      // from the root of the repository; empty: not known
  int line = 0;

  // "server/handoff/ring.h:51", or empty.
  std::string place() const;
  // "ring.h:51", or empty.
  std::string short_place() const;
};

using SourceLookup = std::function<SourceLine(const void* pc)>;

// Of the code that an execution ran. Asks llvm-symbolizer once, at a cost of some 50 ms; without
// it, or without debug information, only exported functions have names. What the standard library
// inlined into a function counts as that function.
SourceLookup source_lines_of(const Execution& execution);
// Likewise, of code addresses that are known: of the instruction behind a call, as in Event.
SourceLookup source_lines_of(const std::set<const void*>& code);

}  // namespace overbite::ordering
