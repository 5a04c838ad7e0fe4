// How many execution graphs of a small program the axioms of a memory model allow, by enumeration:
// every reads-from, every order of writes, and the axioms as they are written, over plain matrices.
// Lahav, Vafeiadis, Kang, Hur and Dreyer, PLDI 2017, section 3, with the release sequences of
// C++20. Shares nothing with ordering/explore: it is what the explorer is held against.
#pragma once

#include <cstdint>

#include "ordering/litmus/words.h"

namespace overbite::ordering {

enum class Axioms : std::uint8_t {
  kSc,
  kRc11,
  // With "SC before" containing sb;hb;sb instead of sb|!=loc;hb;sb|!=loc, and a read-modify-write
  // being two events: what the published numbers count.
  kRc11AnyLocation,
};

// Operations and cells together.
inline constexpr int kAxiomEventsMax = 16;

// Atomics only.
__attribute__((visibility("default"))) std::uint64_t count_graphs(const litmus::Program& program,
                                                                  Axioms axioms);

}  // namespace overbite::ordering
