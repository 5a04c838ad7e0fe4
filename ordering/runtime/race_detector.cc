#include "ordering/runtime/race_detector.h"

#include <algorithm>

namespace overbite::ordering {

void RaceDetector::reset() {
  first_.clear();
  cells_.resize(1);
}

RaceDetector::Race RaceDetector::granule(std::uintptr_t key,
                                         std::uint8_t bytes,
                                         ThreadId thread,
                                         std::int16_t position,
                                         const std::int16_t* clock,
                                         const MemoryAccess& access) {
  std::uint32_t& first = first_[key];
  std::uint32_t* link = &first;
  std::uint32_t reusable = 0;
  while (*link != 0) {
    Cell& cell = cells_[*link];
    const bool ordered = cell.thread == thread || cell.position <= clock[cell.thread];
    if ((cell.bytes & bytes) != 0 && !ordered && (cell.write || access.write) &&
        !(cell.atomic && access.atomic)) {
      return {true, cell.thread, cell.write, cell.atomic, cell.pc};
    }
    // An ordered access that this one covers can no longer race with anything this one does not.
    const bool covered = (cell.bytes & ~bytes) == 0 && ordered && (access.write || !cell.write) &&
                         (!access.atomic || cell.atomic);
    if (covered) {
      reusable = *link;
      *link = cell.next;
    } else {
      link = &cell.next;
    }
  }
  if (reusable == 0) {
    reusable = static_cast<std::uint32_t>(cells_.size());
    cells_.emplace_back();
  }
  cells_[reusable] = {position,
                      bytes,
                      static_cast<std::uint8_t>(thread),
                      access.write,
                      access.atomic,
                      access.pc,
                      first};
  first = reusable;
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
    const Race race = granule(key, bytes, thread, position, clock, access);
    if (race.found) {
      return race;
    }
    at = stop;
  }
  return {};
}

}  // namespace overbite::ordering
