// Memory that only one thread has touched so far: its stack, and what it allocated.
//
// A race needs two threads, so what a thread does to memory that nobody else has ever touched need
// not be recorded. When somebody else does touch it, the execution is run again from the start,
// this time recording it; addresses are the same in every execution, so that happens a few times in
// an exploration, at its beginning.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "ordering/runtime/vector_clock.h"

namespace overbite::ordering {

// kThreadsMax equal pieces of address space, one for each thread.
class PrivateMemory {
 public:
  // `piece_bytes`: a power of two.
  PrivateMemory(const std::byte* base, std::size_t piece_bytes);

  bool has(const void* address) const {
    return static_cast<std::size_t>(static_cast<const std::byte*>(address) - base_) < total_;
  }
  // Of an access by `thread` to memory that is here: nobody else was ever there.
  bool is_private(ThreadId thread, const void* address, std::size_t size) const {
    const auto offset = static_cast<std::size_t>(static_cast<const std::byte*>(address) - base_);
    if (offset >> shift_ != static_cast<std::size_t>(thread)) {
      return false;
    }
    const std::size_t first = offset >> 3;
    const std::size_t last = (offset + size - 1) >> 3;
    return first / 64 == last / 64
               ? (shared_[first / 64] & (mask_from(first % 64) & mask_to(last % 64))) == 0
               : is_range_private(first, last);
  }
  // Of an access to memory that is here: some of it was private to another thread until now.
  bool share(ThreadId thread, const void* address, std::size_t size) {
    const auto offset = static_cast<std::size_t>(static_cast<const std::byte*>(address) - base_);
    const std::size_t first = offset >> 3;
    const std::size_t last = (offset + size - 1) >> 3;
    const std::uint64_t wanted = mask_from(first % 64) & mask_to(last % 64);
    if (first / 64 == last / 64 && (shared_[first / 64] & wanted) == wanted) {
      return false;
    }
    return share_range(thread, offset, size);
  }

 private:
  static std::uint64_t mask_from(std::size_t bit) { return ~std::uint64_t{0} << bit; }
  static std::uint64_t mask_to(std::size_t bit) { return ~std::uint64_t{0} >> (63 - bit); }
  bool is_range_private(std::size_t first, std::size_t last) const;
  bool share_range(ThreadId thread, std::size_t offset, std::size_t size);

  const std::byte* const base_;
  const std::size_t total_;
  const unsigned shift_;
  struct Free {
    void operator()(std::uint64_t* bits) const;
  };
  std::unique_ptr<std::uint64_t[], Free> shared_;  // a bit for each 8 bytes
};

}  // namespace overbite::ordering
