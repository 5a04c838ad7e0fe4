// Data races of C++ ([intro.races]): two accesses to one byte, at least one a write, at least one
// not atomic, neither happening before the other. After Flanagan and Freund, FastTrack (2009), but
// with every unordered access of a granule kept rather than an adaptive summary.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ordering/runtime/epoch_map.h"
#include "ordering/runtime/vector_clock.h"

namespace overbite::ordering {

struct MemoryAccess {
  const void* address = nullptr;
  std::size_t size = 0;
  bool write = false;
  bool atomic = false;
  const void* pc = nullptr;
};

class RaceDetector {
 public:
  struct Race {
    bool found = false;
    ThreadId other_thread = 0;
    bool other_write = false;
    bool other_atomic = false;
    const void* other_pc = nullptr;
  };

  void reset();
  // `position`: of the operation that comes next in the thread; `clock`: how many operations of
  // each thread happen before this access.
  Race access(ThreadId thread,
              std::int16_t position,
              const std::int16_t* clock,
              const MemoryAccess& access);

 private:
  struct Cell {
    std::int16_t position = 0;
    std::uint8_t bytes = 0;  // of the 8-byte granule
    std::uint8_t thread = 0;
    bool write = false;
    bool atomic = false;
    const void* pc = nullptr;
    std::uint32_t next = 0;  // in cells_, 0: none
  };
  Race granule(std::uintptr_t key,
               std::uint8_t bytes,
               ThreadId thread,
               std::int16_t position,
               const std::int16_t* clock,
               const MemoryAccess& access);

  EpochMap<std::uint32_t> first_;  // granule -> its first cell
  std::vector<Cell> cells_{1};
};

}  // namespace overbite::ordering
