// Memory of model threads: handed out upwards, never given back before the execution ends.
//
// One region a thread, so an address depends only on what its own thread did before. Nothing is
// reused unless reuse() is asked to, so a bug that needs a freed address to come back (ABA through
// the allocator) is hidden, and what is used after it was freed is always found.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ordering/runtime/vector_clock.h"

namespace overbite::ordering {

class Arena {
 public:
  // The only one. Never destroyed: what one execution allocated may be deleted at any later time.
  static Arena& shared();

  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  static constexpr std::size_t kRegionBytes = std::size_t{16} << 20;  // for each thread

  struct Block {
    std::byte* start = nullptr;
    std::size_t bytes = 0;
    const void* made_at = nullptr;
    const void* freed_at = nullptr;  // null: it is not
    ThreadId freed_by = -1;
    std::size_t freed_as = 0;  // its number among those that were freed
  };

  // Null when the thread's region is used up.
  void* allocate(ThreadId thread, std::size_t bytes, std::size_t alignment, const void* pc);
  bool owns(const void* memory) const { return offset_of(memory) < kBytes; }
  // The size that was asked for.
  static std::size_t size_of(const void* memory);
  const std::byte* base() const { return base_; }
  // Everything handed out is void.
  void reset();

  // The block of this size that the thread was the last to free; null: none.
  Block* find_freed(ThreadId by, std::size_t bytes, std::size_t alignment);
  // It is handed out again.
  void* reuse(Block& block, const void* pc);

  // Whether all of it is outside, or in blocks that are not freed.
  bool is_whole(const void* address, std::size_t size) const {
    const std::size_t offset = offset_of(address);
    return offset >= kBytes ||
           ((offset & 7) + size <= 8 ? shadow_[offset >> 3] >= (offset & 7) + size
                                     : is_range_whole(offset, size));
  }
  // The block that begins there; null: none.
  Block* block_at(const void* memory);
  // The last one that begins at or before an address; null: none.
  const Block* block_before(const void* address) const;
  void mark_freed(Block& block, ThreadId by, const void* pc);
  // A block that nobody freed and nothing in static memory leads to; null: none.
  const Block* find_leak() const;

 private:
  Arena();
  static constexpr std::size_t kBytes = kRegionBytes * kThreadsMax;

  std::size_t offset_of(const void* address) const {
    return static_cast<std::size_t>(static_cast<const std::byte*>(address) - base_);
  }
  bool is_range_whole(std::size_t offset, std::size_t size) const;

  std::byte* base_ = nullptr;
  std::uint8_t* shadow_ = nullptr;  // of each 8 bytes: how many, from the first, may be used
  std::array<std::size_t, kThreadsMax> used_{};
  std::array<std::vector<Block>, kThreadsMax> blocks_;  // upwards
  std::size_t live_ = 0;
  std::size_t frees_ = 0;
};

}  // namespace overbite::ordering
