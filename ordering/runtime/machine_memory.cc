// The part of the machine that knows the C++ memory model: happens-before and data races.
//
// Values are sequentially consistent whatever order is written; happens-before follows the order
// that is written. So a release store weakened to relaxed is found by the data race it leaves on
// what it published, not by a stale value.
#include <fmt/format.h>

#include <atomic>

#include "ordering/runtime/machine.h"
#include "ordering/runtime/symbols.h"

namespace overbite::ordering {

namespace {

bool acquires(int order) {
  return order == static_cast<int>(std::memory_order_consume) ||
         order == static_cast<int>(std::memory_order_acquire) ||
         order == static_cast<int>(std::memory_order_acq_rel) ||
         order == static_cast<int>(std::memory_order_seq_cst);
}

bool releases(int order) {
  return order == static_cast<int>(std::memory_order_release) ||
         order == static_cast<int>(std::memory_order_acq_rel) ||
         order == static_cast<int>(std::memory_order_seq_cst);
}

const char* words(bool write, bool atomic) {
  if (atomic) {
    return write ? "atomic write" : "atomic read";
  }
  return write ? "write" : "read";
}

}  // namespace

void Machine::access(const MemoryAccess& access) {
  const Thread& thread = *threads_[index(running_)];
  const RaceDetector::Race race = races_.access(running_, thread.clock, access);
  if (race.found) {
    fail(FailureKind::kDataRace,
         fmt::format("data race: {} of {} bytes in {} by {}, {} in {} by {}",
                     words(access.write, access.atomic),
                     access.size,
                     function_name(access.pc),
                     thread.name,
                     words(race.other_write, race.other_atomic),
                     function_name(race.other_pc),
                     threads_[index(race.other_thread)]->name));
  }
}

void Machine::acquire(const VectorClock& clock) { threads_[index(running_)]->clock.join(clock); }

VectorClock Machine::release() {
  Thread& thread = *threads_[index(running_)];
  const VectorClock published = thread.clock;
  ++thread.clock.at[index(running_)];
  return published;
}

void Machine::atomic_load(Object& object, int order) {
  Thread& thread = *threads_[index(running_)];
  (acquires(order) ? thread.clock : thread.acquired_by_relaxed).join(object.clock);
}

void Machine::atomic_store(Object& object, int order) {
  object.clock = releases(order) ? release() : threads_[index(running_)]->released_by_fence;
}

void Machine::atomic_rmw(Object& object, int order) {
  atomic_load(object, order);
  // A read-modify-write continues the release sequence it reads from.
  object.clock.join(releases(order) ? release() : threads_[index(running_)]->released_by_fence);
}

void Machine::fence(int order) {
  Thread& thread = *threads_[index(running_)];
  if (acquires(order)) {
    thread.clock.join(thread.acquired_by_relaxed);
  }
  if (releases(order)) {
    thread.released_by_fence = release();
  }
}

}  // namespace overbite::ordering
