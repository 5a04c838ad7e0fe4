#include "ordering/runtime/private_memory.h"

#include <bit>
#include <cstdlib>

#include "server/base/check.h"

namespace overbite::ordering {

PrivateMemory::PrivateMemory(const std::byte* base, std::size_t piece_bytes)
    : base_(base),
      total_(piece_bytes * kThreadsMax),
      shift_(static_cast<unsigned>(std::countr_zero(piece_bytes))),
      // Far more than is ever touched: the kernel gives it page by page.
      shared_(static_cast<std::uint64_t*>(std::calloc(total_ / 512, sizeof(std::uint64_t)))) {
  CHECK(shared_ != nullptr);
}

void PrivateMemory::Free::operator()(std::uint64_t* bits) const { std::free(bits); }

bool PrivateMemory::is_range_private(std::size_t first, std::size_t last) const {
  for (std::size_t bit = first; bit <= last; ++bit) {
    if ((shared_[bit / 64] >> (bit % 64) & 1) != 0) {
      return false;
    }
  }
  return true;
}

bool PrivateMemory::share_range(ThreadId thread, std::size_t offset, std::size_t size) {
  if (offset >> shift_ == static_cast<std::size_t>(thread)) {
    return false;
  }
  bool is_new = false;
  for (std::size_t bit = offset >> 3; bit <= (offset + size - 1) >> 3; ++bit) {
    const std::uint64_t mask = std::uint64_t{1} << (bit % 64);
    is_new = is_new || (shared_[bit / 64] & mask) == 0;
    shared_[bit / 64] |= mask;
  }
  return is_new;  // guard: memory-shared
}

}  // namespace overbite::ordering
