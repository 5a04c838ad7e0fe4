// Timers of the loop thread.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <utility>

namespace overbite::net {

class TimerQueue;

// Fires at most once an arming. Cancelled by destruction; outlived by its queue.
class Timer {
 public:
  Timer(TimerQueue& queue, std::function<void()> callback)
      : queue_(queue), callback_(std::move(callback)) {}
  ~Timer() { cancel(); }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  // Re-arming moves the deadline: a timer is never in the queue twice.
  void arm_after(std::int64_t delay_ms);
  void cancel();
  bool armed() const { return deadline_ms_ >= 0; }

 private:
  friend class TimerQueue;
  TimerQueue& queue_;
  std::function<void()> callback_;
  std::int64_t deadline_ms_ = -1;
};

class TimerQueue {
 public:
  // Milliseconds until the next deadline, 0 when one has passed, -1 without timers.
  int timeout_ms() const;
  // Runs every timer whose deadline has passed now; those armed meanwhile wait for the next call.
  void run_due();

 private:
  friend class Timer;
  std::set<std::pair<std::int64_t, Timer*>> timers_;
};

}  // namespace overbite::net
