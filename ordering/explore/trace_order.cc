#include "ordering/explore/trace_order.h"

#include "ordering/explore/strategy.h"

namespace overbite::ordering {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
  return hash ^ (hash >> 29);
}

}  // namespace

void TraceOrder::truncate(std::size_t count) {
  while (entries_.size() > count) {
    const Entry& entry = entries_.back();
    threads_[entry.thread] = entry.thread_clock_before;
    if (entry.other >= 0) {
      threads_[entry.other] = {};
    }
    entries_.pop_back();
  }
}

void TraceOrder::walk(const std::vector<Event>& events,
                      std::size_t end,
                      ThreadId thread,
                      const Footprint& footprint,
                      VectorClock& clock,
                      int second,
                      std::vector<Race>* races) const {
  for (int i = static_cast<int>(end) - 1; i >= 0; --i) {
    const Event& earlier = events[at(i)];
    if (earlier.node < 0 || ordered(i, clock) || !conflict(earlier.footprint, footprint)) {
      continue;
    }
    if (races != nullptr && earlier.thread != thread) {
      races->push_back({i, second});
    }
    clock.join(entries_[at(i)].clock);
  }
}

void TraceOrder::extend(const std::vector<Event>& events, std::vector<Race>* races) {
  for (std::size_t i = entries_.size(); i < events.size(); ++i) {
    const Event& event = events[i];
    VectorClock& own = threads_[event.thread];
    Entry entry;
    entry.thread = event.thread;
    entry.thread_clock_before = own;
    entry.position = own.at[at(event.thread)] + 1;
    if (event.op.kind == OpKind::kJoin) {
      own.join(threads_[event.op.other]);
    }
    walk(events, i, event.thread, event.footprint, own, static_cast<int>(i), races);
    for (const int cause : {event.unlocked_by, event.notified_by}) {
      if (cause >= 0) {
        own.join(entries_[at(cause)].clock);
      }
    }
    // A time-out comes after all that could run, and before all that follows. That is no conflict:
    // it must not hide a race between what lies on its two sides.
    for (std::size_t earlier = 0; earlier < i; ++earlier) {
      if (event.footprint.everything || events[earlier].footprint.everything) {
        own.join(entries_[earlier].clock);
      }
    }
    own.at[at(event.thread)] = entry.position;
    if (event.op.kind == OpKind::kSpawn) {
      entry.other = event.op.other;
      threads_[event.op.other] = own;
    }
    entry.clock = own;
    entries_.push_back(entry);
  }
}

void TraceOrder::race_pending(const std::vector<Event>& events,
                              ThreadId thread,
                              const Footprint& footprint,
                              std::vector<Race>& races) const {
  VectorClock clock = threads_[thread];
  walk(events, entries_.size(), thread, footprint, clock, -1, &races);
}

VectorClock TraceOrder::clock_of_pending(const std::vector<Event>& events,
                                         ThreadId thread,
                                         const Footprint& footprint) const {
  VectorClock clock = threads_[thread];
  walk(events, entries_.size(), thread, footprint, clock, -1, nullptr);
  return clock;
}

int TraceOrder::last_of(ThreadId thread) const {
  for (int i = static_cast<int>(entries_.size()) - 1; i >= 0; --i) {
    if (entries_[at(i)].thread == thread) {
      return i;
    }
  }
  return -1;
}

std::uint64_t TraceOrder::signature(const std::vector<Event>& events) const {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Event& event = events[i];
    if (event.node < 0) {
      continue;
    }
    std::uint64_t hash = mix(1, static_cast<std::uint64_t>(event.thread));
    hash = mix(hash, static_cast<std::uint64_t>(event.op.kind));
    hash = mix(hash, event.read);
    hash = mix(hash, event.written);
    hash = mix(hash, event.succeeded ? 1 : 0);
    for (const std::uint32_t position : entries_[i].clock.at) {
      hash = mix(hash, position);
    }
    sum += hash;  // whatever the order in which unordered events were done
  }
  return sum;
}

std::vector<Step> steps_of(const std::vector<Event>& events) {
  std::vector<Step> steps;
  for (const Event& event : events) {
    if (event.node >= 0) {
      steps.push_back({event.thread, event.variant, signature_of(event.thread, event.op)});
    }
  }
  return steps;
}

}  // namespace overbite::ordering
