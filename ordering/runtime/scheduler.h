// The line between running a program and deciding how: the machine asks, a scheduler answers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ordering/runtime/operation.h"

namespace overbite::ordering {

// The state at a scheduling point. Valid during the call.
class StepView {
 public:
  virtual ~StepView() = default;
  // Threads that can do their next operation.
  virtual ThreadMask enabled() const = 0;
  // Threads that have a next operation, enabled or not.
  virtual ThreadMask pending() const = 0;
  virtual ThreadId last_thread() const = 0;
  virtual const Operation& next(ThreadId thread) const = 0;
  // What that operation would touch if it were done now.
  virtual Footprint footprint(ThreadId thread) const = 0;
  // In how many ways it can turn out (which waiter a notify wakes); at least 1.
  virtual int variants(ThreadId thread) const = 0;
  virtual const std::vector<Event>& events() const = 0;
  // What the operation is, in words.
  virtual std::string describe_next(ThreadId thread) const = 0;
};

struct Choice {
  enum class Kind : std::uint8_t { kRun, kCut, kStop };
  Kind kind = Kind::kRun;
  ThreadId thread = 0;
  int variant = 0;
  Failure reason;  // of kStop
};

class Scheduler {
 public:
  virtual ~Scheduler() = default;
  // Called with at least one thread enabled.
  virtual Choice choose(const StepView& view) = 0;
  // The execution is over. Threads that are still pending are blocked for ever, unless it was
  // ended early.
  virtual void ended(const StepView& view, End end) = 0;
};

}  // namespace overbite::ordering
