// A bounded queue for many producers and many consumers, without locks (D. Vyukov's array queue:
// every cell carries the turn in which it may be written or read next).
//
// Threads: any. A failed push leaves the value with the caller. Entries still inside when the ring
// dies are destroyed with it.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

#include "server/handoff/messages.h"

namespace overbite::handoff {

template <typename T>
class Ring {
 public:
  // `entries`: a power of two, at least 2.
  explicit Ring(std::size_t entries);

  // False when full.
  [[nodiscard]] bool try_push(T&& value);
  // False when empty (or when the next entry's producer is between its two steps: that producer
  // pokes after it, so a consumer that saw "empty" is told).
  [[nodiscard]] bool try_pop(T& out);
  // Whether try_pop would find something, in the same sense.
  bool has_next() const;
  std::size_t capacity() const { return mask_ + 1; }

 private:
  struct Cell {
    std::atomic<std::size_t> turn;
    T value;
  };

  const std::size_t mask_;
  const std::unique_ptr<Cell[]> cells_;
  alignas(64) std::atomic<std::size_t> tail_{0};
  alignas(64) std::atomic<std::size_t> head_{0};
};

using SubmitRing = Ring<Job>;
using CompletionRing = Ring<Completion>;

extern template class Ring<Job>;
extern template class Ring<Completion>;

}  // namespace overbite::handoff
