// SIGINT and SIGTERM, turned into stop requests.
#pragma once

#include <functional>

namespace overbite::executor {

// Main thread. From construction to destruction the first SIGINT or SIGTERM, and every further one,
// calls `on_signal` in the signal handler: it may only do what a handler may.
class StopSignals {
 public:
  explicit StopSignals(std::function<void()> on_signal);
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  // The first signal caught; 0 when none was.
  static int caught();
};

}  // namespace overbite::executor
