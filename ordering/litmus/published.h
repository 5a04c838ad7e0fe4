// Programs whose numbers of execution graphs are published: by the test suite of GenMC (MPI-SWS),
// tests/correct/<name>, expected.{sc,rc11}.mo.in. The programs are in our own words; only their
// shapes and the numbers are theirs. Final states are not checked: a check would be an operation.
//
// What is counted: combinations of program order, reads-from and modification order. A failed
// compare-exchange is a read. An execution whose assumption fails counts for nothing.
//
// RC11 as published there differs from RC11 as defined (PLDI 2017, section 3) in one place: "SC
// before" contains sb;hb;sb, not only sb|!=loc;hb;sb|!=loc. Two programs tell the two apart; the
// explorer follows the definition, which allows more. ordering/tests/axioms.h counts both.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ordering/litmus/words.h"

namespace overbite::ordering::litmus {

struct Published {
  std::string name;  // as published, and its parameter
  std::uint64_t sc;
  std::uint64_t rc11;
  std::string words;                // empty: only the body says it
  std::function<void()> body = {};  // empty: the words do
  bool waits = false;               // on a lock: runs that come to nothing are no waste
  std::uint64_t defined = 0;        // by RC11 as defined, where that is not as published

  std::uint64_t rc11_defined() const { return defined != 0 ? defined : rc11; }
  std::function<void()> to_explore() const { return body ? body : body_of(parse(words)); }
};

// Each list is one file.
std::vector<Published> published_shapes();  // two or three accesses a thread, of two locations
std::vector<Published>
published_chains();                       // causality through three threads, and read-modify-writes
std::vector<Published> published_data();  // plain data behind a flag
std::vector<Published> published_sizes();    // the same thread n times
std::vector<Published> published_mutexes();  // mutual exclusion, by locks and by hand
std::vector<Published> published_slow();     // more than 100 000 graphs

// All but the slow ones.
std::vector<Published> published();

}  // namespace overbite::ordering::litmus
