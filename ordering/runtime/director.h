// The line between running a program and deciding how: the machine asks, a director answers.
#pragma once

#include <cstdint>

#include "ordering/runtime/operation.h"

namespace overbite::ordering {

class Machine;

// What the model's clock shows in the beginning: far from 0, which programs take for "not set".
inline constexpr std::int64_t kClockStartNs = 1'000'000'000'000;

class Director {
 public:
  virtual ~Director() = default;

  // The body starts, or starts again: what has been decided stays decided.
  virtual void start() = 0;
  // `thread` is about to do `op`. True: it is done, `result` says what it saw. False: the thread is
  // suspended; the machine asks again when it is resumed.
  virtual bool arrive(ThreadId thread, const Operation& op, Result& result) = 0;
  // The same for an operation of `kind` on what is at `address`, if it was decided before and that
  // is all there is to know about it. False: arrive() will know.
  virtual bool repeat(ThreadId thread, OpKind kind, const void* address, Result& result) {
    static_cast<void>(thread), static_cast<void>(kind), static_cast<void>(address);
    static_cast<void>(result);
    return false;
  }
  // `thread` looked `reads` times and does not want what it saw: it waits for a change of one of
  // them. True: look again. False and `timed_out`: do not. Else it is suspended, as above.
  virtual bool wait(ThreadId thread, int reads, std::int64_t deadline_ns, bool& timed_out) = 0;
  // The thread to resume; -1: the execution is over, and end() says how.
  virtual ThreadId next() = 0;
  virtual End end() const = 0;
  virtual Failure failure() const = 0;
  // What happens before the present of `thread`: kThreadsMax lanes or fewer, for the race detector.
  virtual const std::int16_t* clock(ThreadId thread) = 0;
  // An operation on an atomic, done or going to be, that races with a plain access of `thread` to
  // it at present.
  struct AtomicRace {
    bool found = false;
    bool write = false;
    ThreadId thread = 0;
    const void* pc = nullptr;
  };
  virtual AtomicRace find_atomic_race(ThreadId thread, ObjectId object, bool write) = 0;
  // Whether this execution has an operation on the object.
  virtual bool touched(ObjectId object) const = 0;
  // How many operations `thread` has done.
  virtual int done(ThreadId thread) const = 0;
  // The clock that `thread` sees.
  virtual std::int64_t now_ns(ThreadId thread) const = 0;
  // Fills in `events`, in an order that shows what happened.
  virtual void record(Execution& execution) const = 0;
};

}  // namespace overbite::ordering
