// Vector clocks over the threads of one execution.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace overbite::ordering {

// The thread that runs the body and everything it starts.
inline constexpr int kThreadsMax = 32;

using ThreadId = int;

// How much of each thread is known: its first `at[thread]` events. `Lanes` threads; 16 bits a lane,
// so that a clock of 8 is one vector register.
template <int Lanes>
struct VectorClock {
  std::array<std::int16_t, Lanes> at{};

  void join(const VectorClock& other) {
    for (std::size_t i = 0; i < Lanes; ++i) {
      at[i] = std::max(at[i], other.at[i]);
    }
  }
  void set(ThreadId thread, std::int16_t position) {
    at[static_cast<std::size_t>(thread)] = position;
  }
  bool covers(ThreadId thread, std::int16_t position) const {
    return at[static_cast<std::size_t>(thread)] >= position;
  }
  // Every lane of `other` is covered.
  bool covers(const VectorClock& other) const {
    bool all = true;
    for (std::size_t i = 0; i < Lanes; ++i) {
      all = all & (at[i] >= other.at[i]);
    }
    return all;
  }
  friend bool operator==(const VectorClock&, const VectorClock&) = default;
};

}  // namespace overbite::ordering
