// Memory of model threads: handed out upwards, never given back before the execution ends.
//
// One region a thread, so an address depends only on what its own thread did before. Nothing is
// reused, so a bug that needs a freed address to come back (ABA through the allocator) is hidden.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "ordering/runtime/vector_clock.h"

namespace overbite::ordering {

class Arena {
 public:
  // The only one. Never destroyed: what one execution allocated may be deleted at any later time.
  static Arena& shared();

  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  static constexpr std::size_t kRegionBytes = std::size_t{16} << 20;  // for each thread

  // Null when the thread's region is used up.
  void* allocate(ThreadId thread, std::size_t bytes, std::size_t alignment);
  bool owns(const void* memory) const;
  // The size that was asked for.
  static std::size_t size_of(const void* memory);
  const std::byte* base() const { return base_; }
  // Everything handed out is void.
  void reset();

 private:
  Arena();

  std::byte* base_ = nullptr;
  std::array<std::size_t, kThreadsMax> used_{};
};

}  // namespace overbite::ordering
