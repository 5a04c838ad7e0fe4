// Vector clocks over the threads of one execution.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace overbite::ordering {

// The thread that runs the scenario's body and everything it starts.
inline constexpr int kThreadsMax = 16;

using ThreadId = int;
using ThreadMask = std::uint32_t;
static_assert(sizeof(ThreadMask) * 8 >= kThreadsMax);

constexpr ThreadMask mask_of(ThreadId thread) { return ThreadMask{1} << thread; }

struct VectorClock {
  std::array<std::uint32_t, kThreadsMax> at{};

  void join(const VectorClock& other) {
    for (int i = 0; i < kThreadsMax; ++i) {
      at[i] = std::max(at[i], other.at[i]);
    }
  }
  friend bool operator==(const VectorClock&, const VectorClock&) = default;
};

}  // namespace overbite::ordering
