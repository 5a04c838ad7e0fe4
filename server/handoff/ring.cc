#include "server/handoff/ring.h"

#include <cstdint>
#include <utility>

#include "server/base/check.h"

namespace overbite::handoff {

template <typename T>
Ring<T>::Ring(std::size_t entries) : mask_(entries - 1), cells_(new Cell[entries]) {
  CHECK(entries >= 2 && (entries & mask_) == 0);
  for (std::size_t i = 0; i < entries; ++i) {
    cells_[i].turn.store(i, std::memory_order_relaxed);
  }
}

template <typename T>
bool Ring<T>::try_push(T&& value) {
  std::size_t position = tail_.load(std::memory_order_relaxed);
  while (true) {
    Cell& cell = cells_[position & mask_];
    const std::size_t turn = cell.turn.load(std::memory_order_acquire);
    const auto behind = static_cast<std::intptr_t>(turn - position);
    if (behind < 0) {  // guard: full-ring-overwritten
      return false;
    }
    if (behind > 0) {
      position = tail_.load(std::memory_order_relaxed);
    } else if (tail_.compare_exchange_weak(position, position + 1, std::memory_order_relaxed)) {
      cell.value = std::move(value);
      cell.turn.store(position + 1, std::memory_order_release);  // guard: cell-published-relaxed
      return true;
    }
  }
}

template <typename T>
bool Ring<T>::try_pop(T& out) {
  std::size_t position = head_.load(std::memory_order_relaxed);
  while (true) {
    Cell& cell = cells_[position & mask_];
    const std::size_t turn = cell.turn.load(std::memory_order_acquire);
    const auto behind = static_cast<std::intptr_t>(turn - (position + 1));
    if (behind < 0) {
      return false;
    }
    if (behind > 0) {
      position = head_.load(std::memory_order_relaxed);
    } else if (head_.compare_exchange_weak(position, position + 1, std::memory_order_relaxed)) {
      out = std::move(cell.value);
      cell.value = T{};
      cell.turn.store(position + mask_ + 1, std::memory_order_release);  // guard: cell-freed-early
      return true;
    }
  }
}

template <typename T>
bool Ring<T>::has_next() const {
  const std::size_t position = head_.load(std::memory_order_relaxed);
  return cells_[position & mask_].turn.load(std::memory_order_acquire) == position + 1;
}

template class Ring<Job>;
template class Ring<Completion>;

}  // namespace overbite::handoff
