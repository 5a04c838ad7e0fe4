#include "ordering/runtime/arena.h"

#include <link.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "server/base/check.h"

namespace overbite::ordering {

namespace {

void* reserve(std::size_t bytes) {
  void* memory = ::mmap(
      nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  CHECK(memory != MAP_FAILED);
  return memory;
}

struct Words {
  const std::uintptr_t* begin;
  const std::uintptr_t* end;
};

Words words_in(std::uintptr_t begin, std::size_t bytes) {
  begin = (begin + 7) & ~std::uintptr_t{7};
  const auto* const first = reinterpret_cast<const std::uintptr_t*>(begin);
  return {first, first + bytes / sizeof(std::uintptr_t)};
}

// Global variables of all that is loaded.
int add_statics(dl_phdr_info* object, std::size_t /*size*/, void* out) {
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& segment = object->dlpi_phdr[i];
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_W) != 0) {
      static_cast<std::vector<Words>*>(out)->push_back(
          words_in(object->dlpi_addr + segment.p_vaddr, segment.p_memsz & ~std::size_t{7}));
    }
  }
  return 0;
}

}  // namespace

Arena::Arena()
    : base_(static_cast<std::byte*>(reserve(kBytes))),
      shadow_(static_cast<std::uint8_t*>(reserve(kBytes / 8))) {}

Arena& Arena::shared() {
  static Arena* const arena = new Arena;
  return *arena;
}

void* Arena::allocate(ThreadId thread, std::size_t bytes, std::size_t alignment, const void* pc) {
  alignment = std::max<std::size_t>(alignment, 16);
  std::size_t& used = used_[static_cast<std::size_t>(thread)];
  // The size lies in the 16 bytes before the block, which nobody may use.
  const std::size_t start = (used + 16 + alignment - 1) / alignment * alignment;
  if (bytes > kRegionBytes || start + bytes > kRegionBytes) {
    return nullptr;
  }
  used = start + bytes;
  std::byte* block = base_ + static_cast<std::size_t>(thread) * kRegionBytes + start;
  std::memcpy(block - sizeof(std::size_t), &bytes, sizeof bytes);
  std::uint8_t* const shadow = shadow_ + (offset_of(block) >> 3);
  std::memset(shadow, 8, bytes / 8);
  shadow[bytes / 8] = static_cast<std::uint8_t>(bytes % 8);
  blocks_[static_cast<std::size_t>(thread)].push_back({block, bytes, pc, nullptr, -1, 0});
  ++live_;
  return block;
}

std::size_t Arena::size_of(const void* memory) {
  std::size_t bytes = 0;
  std::memcpy(&bytes, static_cast<const std::byte*>(memory) - sizeof bytes, sizeof bytes);
  return bytes;
}

void Arena::reset() {
  for (std::size_t thread = 0; thread < kThreadsMax; ++thread) {
    std::size_t& used = used_[thread];
    if (used == 0) {
      continue;
    }
    // The same garbage every time: a scenario that reads it behaves the same in each execution.
    std::memset(base_ + thread * kRegionBytes, 0xA5, used);
    std::memset(shadow_ + thread * kRegionBytes / 8, 0, used / 8 + 1);
    blocks_[thread].clear();
    used = 0;  // guard: arena-reset
  }
  live_ = 0;
}

bool Arena::is_range_whole(std::size_t offset, std::size_t size) const {
  for (const std::size_t end = offset + size; offset < end;) {
    const std::size_t here = std::min(8 - (offset & 7), end - offset);
    if (offset >= kBytes || shadow_[offset >> 3] < (offset & 7) + here) {
      return false;
    }
    offset += here;
  }
  return true;
}

const Arena::Block* Arena::block_before(const void* address) const {
  const auto& all = blocks_[offset_of(address) / kRegionBytes];
  const auto behind = std::upper_bound(
      all.begin(), all.end(), address, [](const void* at, const Block& b) { return at < b.start; });
  return behind == all.begin() ? nullptr : &*(behind - 1);
}

Arena::Block* Arena::block_at(const void* memory) {
  const Block* const block = block_before(memory);
  return block != nullptr && block->start == memory ? const_cast<Block*>(block) : nullptr;
}

void Arena::mark_freed(Block& block, ThreadId by, const void* pc) {
  std::memset(shadow_ + (offset_of(block.start) >> 3), 0, block.bytes / 8 + 1);  // guard: freed
  block.freed_at = pc;
  block.freed_by = by;
  block.freed_as = ++frees_;
  --live_;
}

Arena::Block* Arena::find_freed(ThreadId by, std::size_t bytes, std::size_t alignment) {
  Block* last = nullptr;
  for (auto& blocks : blocks_) {
    for (Block& block : blocks) {
      const bool fits =
          block.bytes == bytes &&
          reinterpret_cast<std::uintptr_t>(block.start) % std::max<std::size_t>(alignment, 1) == 0;
      if (fits && block.freed_at != nullptr && block.freed_by == by &&
          (last == nullptr || block.freed_as > last->freed_as)) {
        last = &block;
      }
    }
  }
  return last;
}

void* Arena::reuse(Block& block, const void* pc) {
  std::memset(block.start, 0xA5, block.bytes);
  std::uint8_t* const shadow = shadow_ + (offset_of(block.start) >> 3);
  std::memset(shadow, 8, block.bytes / 8);
  shadow[block.bytes / 8] = static_cast<std::uint8_t>(block.bytes % 8);
  block.made_at = pc;
  block.freed_at = nullptr;
  ++live_;
  return block.start;
}

const Arena::Block* Arena::find_leak() const {
  if (live_ == 0) {
    return nullptr;
  }
  // Whatever looks like the address of a block, or of what is in one, keeps it.
  std::vector<Words> places;
  ::dl_iterate_phdr(&add_statics, &places);
  std::vector<const Block*> reached;
  while (!places.empty()) {
    const Words words = places.back();
    places.pop_back();
    for (const std::uintptr_t* word = words.begin; word < words.end; ++word) {
      const auto* const address = reinterpret_cast<const std::byte*>(*word);
      const Block* const block = owns(address) ? block_before(address) : nullptr;
      if (block != nullptr && block->freed_at == nullptr &&
          address <= block->start + block->bytes &&
          std::find(reached.begin(), reached.end(), block) == reached.end()) {
        reached.push_back(block);
        places.push_back(words_in(reinterpret_cast<std::uintptr_t>(block->start),
                                  block->bytes & ~std::size_t{7}));
      }
    }
  }
  for (const auto& blocks : blocks_) {
    for (const Block& block : blocks) {
      if (block.freed_at == nullptr &&
          std::find(reached.begin(), reached.end(), &block) == reached.end()) {
        return &block;
      }
    }
  }
  return nullptr;
}

}  // namespace overbite::ordering
