// Smaller runs that fail in the same way.
#pragma once

#include <functional>
#include <vector>

#include "ordering/explore/explorer.h"
#include "ordering/explore/schedules.h"

namespace overbite::ordering {

struct Shrunk {
  Execution failed;
  // It was run again, decision by decision. False: this is what the search recorded, and no string
  // of decisions brings it back.
  bool replayed = false;
  // Without its last switch away from a thread that could go on: 1 it does not fail, 0 it does, -1
  // there is none.
  int passes_without_last_switch = -1;
};

// A deadlock's or a race's message depends on where everybody stood; a requirement's does not.
bool is_same_failure(const Failure& a, const Failure& b);

// In this order, each kept only if the failure stays the same: the interleaving with the fewest
// preemptions, where a bounded search finds one; fewer reads of old values and late stores; fewer
// changes of thread. Every result is consistent with RC11.
Shrunk shrink(Machine& machine, const std::function<void()>& body, const Execution& found);

// One execution, decision by decision, and what it left behind.
Execution replay_once(Machine& machine,
                      const std::function<void()>& body,
                      const std::vector<Step>& steps);

}  // namespace overbite::ordering
