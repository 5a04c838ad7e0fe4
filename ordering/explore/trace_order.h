// Happens-before of a trace: program order, dependence, and what enabled what.
//
// Two traces with the same happens-before are one execution for every observer (Mazurkiewicz 1987);
// the searches count these, and the exhaustive one reverses its races.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ordering/runtime/operation.h"

namespace overbite::ordering {

class TraceOrder {
 public:
  // Forgets all but the first `count` events.
  void truncate(std::size_t count);
  std::size_t size() const { return entries_.size(); }

  // Appends the events of `events` from size() on. `races`, if given, gets for each new event the
  // earlier ones it races with: dependent, of another thread, and with nothing in between.
  struct Race {
    int first;
    int second;  // event, or -1: the operation that is pending
  };
  void extend(const std::vector<Event>& events, std::vector<Race>* races);

  // The races of an operation that `thread` has not done yet (it is blocked for ever).
  void race_pending(const std::vector<Event>& events,
                    ThreadId thread,
                    const Footprint& footprint,
                    std::vector<Race>& races) const;

  bool before(int first, int second) const {
    return ordered(first, entries_[static_cast<std::size_t>(second)].clock);
  }
  bool ordered(int first, const VectorClock& clock) const {
    const Entry& entry = entries_[static_cast<std::size_t>(first)];
    return clock.at[static_cast<std::size_t>(entry.thread)] >= entry.position;
  }
  // What happens before the next operation of `thread` if it touches `footprint`.
  VectorClock clock_of_pending(const std::vector<Event>& events,
                               ThreadId thread,
                               const Footprint& footprint) const;
  const VectorClock& clock(int event) const {
    return entries_[static_cast<std::size_t>(event)].clock;
  }
  // The last event of `thread`, -1 if there is none.
  int last_of(ThreadId thread) const;

  // Equal for two traces exactly if (up to a hash) they are one execution.
  std::uint64_t signature(const std::vector<Event>& events) const;

 private:
  struct Entry {
    VectorClock clock;
    VectorClock thread_clock_before;  // of its thread, to undo
    ThreadId thread = 0;
    ThreadId other = -1;
    std::uint32_t position = 0;  // within its thread, from 1
  };
  // Walks back from the end: `clock` in: what is before the operation by program order; out: with
  // what dependence adds.
  void walk(const std::vector<Event>& events,
            std::size_t end,
            ThreadId thread,
            const Footprint& footprint,
            VectorClock& clock,
            int second,
            std::vector<Race>* races) const;

  std::vector<Entry> entries_;
  VectorClock threads_[kThreadsMax];
};

}  // namespace overbite::ordering
