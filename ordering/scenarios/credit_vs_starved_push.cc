// The ASGI executor never waits for credit: a push that finds none notes it, and the loop's next
// grant is due to be told by a message. Between the two, the executor sleeps on its channel.
#include <poll.h>

#include <thread>
#include <vector>

#include "ordering/scenario.h"
#include "ordering/scenarios/lane_setup.h"
#include "server/handoff/drain.h"

namespace overbite::ordering {
namespace {

constexpr handoff::SlotRef kSlot{0, 1};
constexpr int kFrames = 2;

void sleep_on(int fd) {
  pollfd entry{fd, POLLIN, 0};
  ::poll(&entry, 1, -1);
}

void push(handoff::Lane& lane) {
  handoff::Frame frame{kSlot, "abcd", false, false};
  std::vector<handoff::Message> messages;
  while (lane.chunks().try_push(frame) == handoff::PushResult::kNoCredit) {
    sleep_on(lane.executor_channel().fd());
    lane.executor_channel().receive_all(messages);
  }
  lane.frame_pushed();
}

}  // namespace

OVERBITE_SCENARIO(credit_vs_starved_push,
                  "a push that found no credit is followed by a message once there is some") {
  handoff::Lane lane(kSmallLane);
  name_lane(lane);
  lane.chunks().open(kSlot);
  name_thread("loop");
  std::thread executor([&lane] {
    name_thread("executor");
    for (int i = 0; i < kFrames; ++i) {
      push(lane);
    }
  });
  // The client takes every frame at once.
  std::vector<handoff::Frame> frames;
  for (std::size_t granted = 0; granted < kFrames; ++granted) {
    while (frames.size() == granted) {
      if (lane.loop_may_sleep()) {
        sleep_on(lane.loop_waker().fd());
        lane.loop_woke();
      }
      lane.chunks().drain(frames);
    }
    if (lane.chunks().grant(kSlot, frames[granted].bytes.size())) {
      lane.loop_channel().send({handoff::MessageKind::kCredit, kSlot});
    }
  }
  executor.join();
  require(frames.size() == kFrames, "a frame came more than once");
}

}  // namespace overbite::ordering
