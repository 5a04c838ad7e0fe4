// The client goes while its stream is produced: what is queued is dropped, what comes is refused,
// and the count by which the loop decides whether it may sleep stays right.
#include <thread>
#include <vector>

#include "ordering/scenario.h"
#include "ordering/scenarios/lane_setup.h"

namespace overbite::ordering {
namespace {

constexpr handoff::SlotRef kSlot{0, 1};

}  // namespace

OVERBITE_SCENARIO(frame_vs_close,
                  "a closed stream takes no frame, and what it held keeps no loop awake") {
  handoff::Lane lane(kSmallLane);
  name_lane(lane);
  handoff::ChunkChannel& chunks = lane.chunks();
  chunks.open(kSlot);
  name_thread("loop");
  std::thread executor([&chunks] {
    name_thread("executor");
    for (int i = 0; i < 2; ++i) {
      handoff::Frame frame{kSlot, "ab", false, false};
      (void)chunks.try_push(frame);
    }
  });
  std::vector<handoff::Frame> frames;
  chunks.drain(frames);
  chunks.close(kSlot);
  executor.join();
  handoff::Frame late{kSlot, "ab", false, false};
  require(chunks.try_push(late) == handoff::PushResult::kClosed,
          "a stream goes on for a client that is gone");
  require(lane.loop_may_sleep(), "the loop never sleeps again");
  lane.loop_woke();
  frames.clear();
  chunks.drain(frames);
  require(frames.empty(), "a closed stream keeps frames");
}

}  // namespace overbite::ordering
