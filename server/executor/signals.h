// SIGINT and SIGTERM, turned into stop requests.
#pragma once

#include <cstdint>
#include <functional>
#include <thread>

#include "server/base/unique_fd.h"

namespace overbite::executor {

// Main thread. From construction to destruction the first SIGINT or SIGTERM, and every further one,
// calls `on_signal` in the signal handler: it may only do what a handler may.
//
// An application that never gives control back (it blocks the thread that would have to stop)
// cannot be waited for: `bound_ms` after the first signal a watchdog ends the process.
class StopSignals {
 public:
  StopSignals(std::function<void()> on_signal, std::int64_t bound_ms);
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  // The first signal caught; 0 when none was.
  static int caught();

 private:
  void watch() const;

  const std::int64_t bound_ms_;
  base::UniqueFd ended_;  // readable: the watchdog may go
  std::thread watchdog_;
};

// Ends the process as it would have ended after a stop: by the signal after a SIGTERM, else with 0.
// Nothing is cleaned up: for a process in which the application still runs.
[[noreturn]] void leave_at_once();

}  // namespace overbite::executor
