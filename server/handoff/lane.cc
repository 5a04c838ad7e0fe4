#include "server/handoff/lane.h"

#include <utility>

#include "server/base/check.h"

namespace overbite::handoff {

Lane::Lane(const LaneSizes& sizes)
    : channel_(Channel::open()),
      submissions_(sizes.submit_entries),
      completions_(sizes.completion_entries),
      chunks_(sizes.slots, sizes.credit_bytes),
      tags_(sizes.slots),
      half_closed_(sizes.slots) {}

bool Lane::submit(Job&& job) {
  if (!submissions_.try_push(std::move(job))) {  // guard: poked-before-push
    return false;
  }
  executor_waker_.poke();
  return true;
}

void Lane::complete(Completion&& completion) {
  {
    const std::lock_guard lock(completing_);  // guard: completions-pushed-side-by-side
    CHECK(completions_.try_push(std::move(completion)));
  }
  loop_waker_.poke();
}

bool Lane::loop_may_sleep() {
  loop_waker_.park();                                     // guard: parked-after-check
  if (completions_.has_next() || chunks_.has_frames()) {  // guard: frames-slept-over
    loop_waker_.unpark();
    return false;
  }
  return true;
}

bool Lane::executor_may_sleep() {
  executor_waker_.park();  // guard: executor-parked-after-check
  if (submissions_.has_next()) {
    executor_waker_.unpark();
    return false;
  }
  return true;
}

}  // namespace overbite::handoff
