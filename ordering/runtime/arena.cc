#include "ordering/runtime/arena.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "server/base/check.h"

namespace overbite::ordering {

Arena::Arena() {
  void* memory = ::mmap(nullptr,
                        kRegionBytes * kThreadsMax,
                        PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                        -1,
                        0);
  CHECK(memory != MAP_FAILED);
  base_ = static_cast<std::byte*>(memory);
}

Arena& Arena::shared() {
  static Arena* const arena = new Arena;
  return *arena;
}

void* Arena::allocate(ThreadId thread, std::size_t bytes, std::size_t alignment) {
  alignment = std::max<std::size_t>(alignment, 16);
  std::size_t& used = used_[static_cast<std::size_t>(thread)];
  // The size lies in the 16 bytes before the block.
  const std::size_t start = (used + 16 + alignment - 1) / alignment * alignment;
  if (bytes > kRegionBytes || start + bytes > kRegionBytes) {
    return nullptr;
  }
  used = start + bytes;
  std::byte* block = base_ + static_cast<std::size_t>(thread) * kRegionBytes + start;
  std::memcpy(block - sizeof(std::size_t), &bytes, sizeof bytes);
  return block;
}

bool Arena::owns(const void* memory) const {
  const auto* byte = static_cast<const std::byte*>(memory);
  return byte >= base_ && byte < base_ + kRegionBytes * kThreadsMax;
}

std::size_t Arena::size_of(const void* memory) {
  std::size_t bytes = 0;
  std::memcpy(&bytes, static_cast<const std::byte*>(memory) - sizeof bytes, sizeof bytes);
  return bytes;
}

void Arena::reset() {
  for (int thread = 0; thread < kThreadsMax; ++thread) {
    std::size_t& used = used_[static_cast<std::size_t>(thread)];
    if (used == 0) {
      continue;
    }
    // The same garbage every time: a scenario that reads it behaves the same in each execution.
    std::memset(base_ + static_cast<std::size_t>(thread) * kRegionBytes, 0xA5, used);
    used = 0;  // guard: arena-reset
  }
}

}  // namespace overbite::ordering
