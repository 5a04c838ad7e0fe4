// Data races of C++ ([intro.races]): two accesses to one byte, at least one a write, at least one
// not atomic, neither happening before the other. After Flanagan and Freund, FastTrack (2009), but
// with every unordered access of a granule kept rather than an adaptive summary.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ordering/runtime/vector_clock.h"

namespace overbite::ordering {

struct MemoryAccess {
  const void* address = nullptr;
  std::size_t size = 0;
  bool write = false;
  const void* pc = nullptr;
};

// Of plain accesses only: what is done to atomics is in the search's graph.
class RaceDetector {
 public:
  struct Race {
    bool found = false;
    ThreadId other_thread = 0;
    bool other_write = false;
    const void* other_pc = nullptr;
    std::int16_t other_position = 0;  // as given for it
  };

  RaceDetector() : granules_(kGranulesAtFirst) {}

  void reset() {
    ++epoch_;
    live_ = 0;
    cells_.resize(1);
  }
  // Whether the access says nothing new: the thread made the same one, or a stronger, since its
  // last operation, and it was the last to come here. Cheap; false proves nothing.
  bool is_repeated(ThreadId thread, std::int16_t position, const MemoryAccess& access) const {
    const auto at = reinterpret_cast<std::uintptr_t>(access.address);
    const Granule& granule = granules_[slot_of(at >> 3)];
    const auto bytes = static_cast<std::uint8_t>(((1u << access.size) - 1) << (at & 7));
    const Cell& last = granule.last;
    return granule.epoch == epoch_ && granule.key == at >> 3 && (at & 7) + access.size <= 8 &&
           last.thread == thread && last.position == position && (bytes & ~last.bytes) == 0 &&
           (last.write || !access.write);
  }
  // `position`: of the operation that comes next in the thread; `clock`: how many operations of
  // each thread happen before this access.
  Race access(ThreadId thread,
              std::int16_t position,
              const std::int16_t* clock,
              const MemoryAccess& access);
  // The same for an operation on an atomic, which leaves nothing behind here.
  Race check_atomic(ThreadId thread, const std::int16_t* clock, const MemoryAccess& access) const;

 private:
  static constexpr std::size_t kGranulesAtFirst = 4096;

  struct Cell {
    std::int16_t position = 0;
    std::uint8_t bytes = 0;  // of the 8-byte granule; 0: no access
    std::uint8_t thread = 0;
    bool write = false;
    std::uint32_t next = 0;  // in cells_, 0: none
    const void* pc = nullptr;
  };
  // Open addressing; an entry counts only while it carries the current epoch.
  struct Granule {
    std::uint64_t epoch = 0;
    std::uintptr_t key = 0;
    Cell last;  // and what else is kept hangs on it
  };

  std::size_t slot_of(std::uintptr_t key) const {
    return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15u) >> 20) & (granules_.size() - 1);
  }
  Granule& granule_of(std::uintptr_t key);
  void grow();
  Race touch(std::uintptr_t key,
             std::uint8_t bytes,
             ThreadId thread,
             std::int16_t position,
             const std::int16_t* clock,
             const MemoryAccess& access);

  std::vector<Granule> granules_;
  std::vector<Cell> cells_{1};
  std::uint64_t epoch_ = 1;
  std::size_t live_ = 0;
};

}  // namespace overbite::ordering
