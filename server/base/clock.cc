#include "server/base/clock.h"

namespace overbite::base {

std::int64_t monotonic_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1000 + now.tv_nsec / 1'000'000;
}

std::time_t wall_seconds() { return std::time(nullptr); }

}  // namespace overbite::base
