// A consumer that finds nothing raises its parked flag, looks once more and sleeps; a producer
// pokes only a parked peer. Either could miss the other; then the consumer sleeps in poll for ever,
// which shows as a deadlock. Once for each side of a lane.
#include <poll.h>

#include <thread>

#include "ordering/scenario.h"
#include "ordering/scenarios/lane_setup.h"
#include "server/handoff/drain.h"

namespace overbite::ordering {
namespace {

constexpr handoff::SlotRef kSlot{0, 1};

void sleep_on(int waker, int channel) {
  pollfd wakers[2] = {{waker, POLLIN, 0}, {channel, POLLIN, 0}};
  ::poll(wakers, 2, -1);
}

}  // namespace

OVERBITE_SCENARIO(parked_vs_push, "a loop that goes to sleep is woken by a completion") {
  handoff::Lane lane(kSmallLane);
  name_lane(lane);
  name_thread("loop");
  std::thread pool([&lane] {
    name_thread("pool");
    lane.complete({handoff::CompletionKind::kDone, kSlot, nullptr});
  });
  handoff::Batch batch;
  while (batch.completions.empty()) {
    if (lane.loop_may_sleep()) {
      sleep_on(lane.loop_waker().fd(), lane.loop_channel().fd());
      lane.loop_woke();
    }
    handoff::drain_completions_into(lane, batch);
  }
  pool.join();
  require(batch.completions.size() == 1, "one completion came more than once");
  require(batch.completions[0].slot == kSlot, "the completion changed on its way");
}

OVERBITE_SCENARIO(parked_vs_submit, "an executor that goes to sleep is woken by a job") {
  handoff::Lane lane(kSmallLane);
  name_lane(lane);
  name_thread("executor");
  std::thread loop([&lane] {
    name_thread("loop");
    require(lane.submit({handoff::JobKind::kStart, kSlot, nullptr}), "the submit ring is full");
  });
  handoff::Job job;
  while (!lane.submissions().try_pop(job)) {
    if (lane.executor_may_sleep()) {
      sleep_on(lane.executor_waker().fd(), lane.executor_channel().fd());
      lane.executor_woke();
    }
  }
  loop.join();
  require(job.slot == kSlot, "the job changed on its way");
}

OVERBITE_SCENARIO(parked_vs_frame, "a loop that goes to sleep is woken by a frame") {
  handoff::Lane lane(kSmallLane);
  name_lane(lane);
  lane.chunks().open(kSlot);
  name_thread("loop");
  std::thread pool([&lane] {
    name_thread("pool");
    handoff::Frame frame{kSlot, "ab", false, false};
    require(lane.chunks().try_push(frame) == handoff::PushResult::kAccepted, "no credit");
    lane.frame_pushed();
  });
  handoff::Batch batch;
  while (batch.frames.empty()) {
    if (lane.loop_may_sleep()) {
      sleep_on(lane.loop_waker().fd(), lane.loop_channel().fd());
      lane.loop_woke();
    }
    handoff::drain_completions_into(lane, batch);
  }
  pool.join();
  require(batch.frames.size() == 1 && batch.frames[0].bytes == "ab",
          "the frame changed on its way");
}

}  // namespace overbite::ordering
