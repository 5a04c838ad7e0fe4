// What a machine makes of accesses to memory: data races, and atomics that overlap.
#include <fmt/format.h>

#include "ordering/runtime/machine.h"
#include "ordering/runtime/symbols.h"

namespace overbite::ordering {

namespace {

const char* words(bool write, bool atomic) {
  if (atomic) {
    return write ? "atomic write" : "atomic read";
  }
  return write ? "write" : "read";
}

}  // namespace

// Nobody else may have been where this access goes, as far as that was noted.
void Machine::share(const MemoryAccess& access) {
  PrivateMemory* const use = stack_use_.has(access.address)   ? &stack_use_
                             : arena_use_.has(access.address) ? &arena_use_
                                                              : nullptr;
  if (use != nullptr && use->share(running_, access.address, access.size)) {
    // What its owner did there was not recorded.
    execution_.end = End::kAgain;
    suspend(threads_[index(running_)]->state);
  }
}

void Machine::check_access(const MemoryAccess& access) {
  if (access.size == 0) {
    return;
  }
  share(access);
  const RaceDetector::Race race = races_.access(running_, position_, clock_, access);
  if (race.found) {
    fail_race(access, false, race, false);
  }
  if (!arena_.is_whole(access.address, access.size)) {  // guard: whole-memory
    fail_memory(access);
  }
  objects_.for_atomics_at(access.address, access.size, [&](ObjectId object) {
    const Director::AtomicRace found = director_->find_atomic_race(running_, object, access.write);
    if (found.found) {
      fail_race(access, false, {true, found.thread, found.write, found.pc, 0}, true);
    }
  });
}

void Machine::check_size(ObjectId object, const void* address, std::size_t size) {
  objects_.for_atomics_at(address, size, [&](ObjectId other) {
    if (other != object && director_->touched(other)) {  // guard: mixed-sizes-unseen
      stop_unmodelled(fmt::format("atomics of {} and of {} bytes at one place: {}",
                                  objects_.size_of(other),
                                  size,
                                  objects_.describe(object)));
    }
  });
}

void Machine::check_atomic(const MemoryAccess& access) {
  const bool is_whole = arena_.is_whole(access.address, access.size);
  if (is_whole && (stack_use_.is_private(running_, access.address, access.size) ||
                   arena_use_.is_private(running_, access.address, access.size))) {
    return;
  }
  share(access);
  const RaceDetector::Race race = races_.check_atomic(running_, clock_, access);
  if (race.found) {
    fail_race(access, true, race, false);
  }
  if (!is_whole) {
    fail_memory(access);
  }
}

void Machine::fail_race(const MemoryAccess& access,
                        bool atomic,
                        const RaceDetector::Race& race,
                        bool other_atomic) {
  const std::string object = objects_.describe(access.address);
  execution_.race = {{running_, access.write, atomic, position_, access.size, access.pc, object},
                     {race.other_thread,
                      race.other_write,
                      other_atomic,
                      race.other_position,
                      0,
                      race.other_pc,
                      object}};
  fail(FailureKind::kDataRace,
       fmt::format("data race: {} of {} bytes in {} by {}, {} in {} by {}",
                   words(access.write, atomic),
                   access.size,
                   function_name(access.pc),
                   name_of(running_),
                   words(race.other_write, other_atomic),
                   function_name(race.other_pc),
                   name_of(race.other_thread)));
}

}  // namespace overbite::ordering
