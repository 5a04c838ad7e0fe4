#include "server/net/timer.h"

#include <algorithm>

#include "server/base/clock.h"

namespace overbite::net {

void Timer::arm_after(std::int64_t delay_ms) {
  cancel();  // guard: timer-armed-twice
  deadline_ms_ = base::monotonic_ms() + delay_ms;
  queue_.timers_.emplace(deadline_ms_, this);
}

void Timer::cancel() {
  if (armed()) {
    queue_.timers_.erase({deadline_ms_, this});
    deadline_ms_ = -1;
  }
}

int TimerQueue::timeout_ms() const {
  if (timers_.empty()) {
    return -1;
  }
  const std::int64_t left = timers_.begin()->first - base::monotonic_ms();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 3'600'000));
}

void TimerQueue::run_due() {
  const std::int64_t now = base::monotonic_ms();
  while (!timers_.empty() && timers_.begin()->first <= now) {
    Timer* const timer = timers_.begin()->second;
    timers_.erase(timers_.begin());
    timer->deadline_ms_ = -1;
    timer->callback_();
  }
}

}  // namespace overbite::net
