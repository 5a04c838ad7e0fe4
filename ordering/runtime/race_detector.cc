#include "ordering/runtime/race_detector.h"

#include <algorithm>
#include <utility>

namespace overbite::ordering {

void RaceDetector::grow() {
  std::vector<Granule> old(granules_.size() * 2);
  old.swap(granules_);
  for (const Granule& granule : old) {
    if (granule.epoch == epoch_) {
      std::size_t slot = slot_of(granule.key);
      while (granules_[slot].epoch == epoch_) {
        slot = (slot + 1) & (granules_.size() - 1);
      }
      granules_[slot] = granule;
    }
  }
}

RaceDetector::Granule& RaceDetector::granule_of(std::uintptr_t key) {
  if ((live_ + 1) * 2 > granules_.size()) {
    grow();
  }
  std::size_t slot = slot_of(key);
  while (granules_[slot].epoch == epoch_ && granules_[slot].key != key) {
    slot = (slot + 1) & (granules_.size() - 1);
  }
  Granule& granule = granules_[slot];
  if (granule.epoch != epoch_) {
    granule.epoch = epoch_;
    granule.key = key;
    granule.last = {};
    ++live_;
  }
  return granule;
}

RaceDetector::Race RaceDetector::touch(std::uintptr_t key,
                                       std::uint8_t bytes,
                                       ThreadId thread,
                                       std::int16_t position,
                                       const std::int16_t* clock,
                                       const MemoryAccess& access) {
  Granule& granule = granule_of(key);
  const Cell now = {position, bytes, static_cast<std::uint8_t>(thread), access.write, 0, access.pc};
  // The last access first, then what hangs on it.
  std::uint32_t* link = nullptr;
  for (Cell* cell = &granule.last; cell->bytes != 0;) {
    const bool ordered = cell->thread == thread || cell->position <= clock[cell->thread];
    if ((cell->bytes & bytes) != 0 && !ordered &&
        (cell->write || access.write)) {  // guard: reads-remembered
      return {true, cell->thread, cell->write, cell->pc, cell->position};
    }
    // An ordered access that this one covers can no longer race with anything this one does not.
    const bool covered = (cell->bytes & ~bytes) == 0 && ordered && (access.write || !cell->write);
    const std::uint32_t next = cell->next;
    if (covered && link != nullptr) {
      *link = next;
    } else if (covered) {
      cell->bytes = 0;  // the new one takes its place
      link = &cell->next;
    } else {
      link = &cell->next;
    }
    if (next == 0) {
      break;
    }
    cell = &cells_[next];
  }
  const std::uint32_t rest = granule.last.next;
  if (granule.last.bytes != 0) {
    cells_.push_back(granule.last);
    granule.last = now;
    granule.last.next = static_cast<std::uint32_t>(cells_.size()) - 1;
  } else {
    granule.last = now;
    granule.last.next = rest;
  }
  return {};
}

RaceDetector::Race RaceDetector::access(ThreadId thread,
                                        std::int16_t position,
                                        const std::int16_t* clock,
                                        const MemoryAccess& access) {
  std::uintptr_t at = reinterpret_cast<std::uintptr_t>(access.address);
  const std::uintptr_t end = at + access.size;
  while (at < end) {
    const std::uintptr_t key = at >> 3;
    const std::uintptr_t stop = std::min(end, (key + 1) << 3);
    const auto bytes = static_cast<std::uint8_t>(((1u << (stop - at)) - 1) << (at & 7));
    const Race race = touch(key, bytes, thread, position, clock, access);
    if (race.found) {
      return race;
    }
    at = stop;
  }
  return {};
}

RaceDetector::Race RaceDetector::check_atomic(ThreadId thread,
                                              const std::int16_t* clock,
                                              const MemoryAccess& access) const {
  std::uintptr_t at = reinterpret_cast<std::uintptr_t>(access.address);
  const std::uintptr_t end = at + access.size;
  for (; at < end; at = ((at >> 3) + 1) << 3) {
    const std::uintptr_t key = at >> 3;
    const std::uintptr_t stop = std::min(end, (key + 1) << 3);
    const auto bytes = static_cast<std::uint8_t>(((1u << (stop - at)) - 1) << (at & 7));
    std::size_t slot = slot_of(key);
    while (granules_[slot].epoch == epoch_ && granules_[slot].key != key) {
      slot = (slot + 1) & (granules_.size() - 1);
    }
    if (granules_[slot].epoch != epoch_) {
      continue;
    }
    for (const Cell* cell = &granules_[slot].last;; cell = &cells_[cell->next]) {
      const bool ordered = cell->thread == thread || cell->position <= clock[cell->thread];
      if ((cell->bytes & bytes) != 0 && !ordered && (cell->write || access.write)) {
        return {true, cell->thread, cell->write, cell->pc, cell->position};
      }
      if (cell->next == 0) {
        break;
      }
    }
  }
  return {};
}

}  // namespace overbite::ordering
