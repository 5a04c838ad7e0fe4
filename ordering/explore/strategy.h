// A strategy decides what runs next, execution after execution, until nothing is left.
#pragma once

#include <cstdint>
#include <vector>

#include "ordering/runtime/scheduler.h"

namespace overbite::ordering {

class Strategy : public Scheduler {
 public:
  // Before each execution. False: everything this strategy wants to see has been seen.
  virtual bool begin() = 0;
};

// One decision of a run, with what the operation looked like when it was taken.
struct Step {
  ThreadId thread = 0;
  int variant = 0;
  std::uint32_t signature = 0;
};

// The decisions of an execution, in order.
std::vector<Step> steps_of(const std::vector<Event>& events);

}  // namespace overbite::ordering
