// Programs that are wrong, and how: found by an exploration under RC11, and under sequential
// consistency where it is visible there. The shapes are GenMC's (tests/wrong) and those of our own
// hand-off; all in our own words.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ordering/litmus/words.h"
#include "ordering/runtime/operation.h"

namespace overbite::ordering::litmus {

struct Wrong {
  std::string name;
  FailureKind sc;  // kNone: every sequentially consistent execution is fine
  FailureKind rc11;
  std::string words;
  std::function<void()> body = {};  // empty: the words say it

  std::function<void()> to_explore() const { return body ? body : body_of(parse(words)); }
};

// Each list is one file.
std::vector<Wrong> wrong_races();   // plain data, one side too weak
std::vector<Wrong> wrong_orders();  // right only if memory were sequentially consistent
std::vector<Wrong> wrong_waits();   // deadlocks
std::vector<Wrong> wrong_uses();
}  // namespace overbite::ordering::litmus
