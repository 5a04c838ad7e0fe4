// The client goes while its request is still without an answer; the loop closes a stream that is
// not open yet. The application begins its stream all the same, and learns of the loss only after
// a frame or two. Nothing of it may be left in the slot when the slot's next request begins.
#include <thread>

#include "ordering/scenario.h"
#include "ordering/scenarios/lane_setup.h"
#include "server/handoff/drain.h"

namespace overbite::ordering {
namespace {

constexpr handoff::SlotRef kEarlier{0, 1};
constexpr handoff::SlotRef kLater{0, 2};

// The loop's side of the slot.
struct Slot final : handoff::BatchHandler {
  bool finished = false;
  void on_completion(handoff::Completion completion) override {
    finished = finished || completion.kind == handoff::CompletionKind::kDone;
  }
  void on_frame(handoff::Frame /*frame*/) override {}
  void on_message(const handoff::Message& /*message*/) override {}
};

}  // namespace

OVERBITE_SCENARIO(disconnect_vs_open,
                  "a stream that begins after its client went leaves nothing in its slot") {
  handoff::Lane lane(kSmallLane);
  name_lane(lane);
  name_thread("loop");
  std::thread executor([&lane] {
    name_thread("executor");
    lane.chunks().open(kEarlier);
    lane.complete({handoff::CompletionKind::kBegin, kEarlier, nullptr});
    handoff::Frame frame{kEarlier, "body", false, false};
    if (lane.chunks().try_push(frame) == handoff::PushResult::kAccepted) {
      lane.frame_pushed();
    }
    // The loss is noticed now (ResponseSender::gone).
    lane.complete({handoff::CompletionKind::kDone, kEarlier, nullptr});
  });

  lane.chunks().close(kEarlier);
  Slot slot;
  handoff::Batch batch;
  handoff::drain_completions_into(lane, batch);
  handoff::apply(batch, slot);
  if (slot.finished) {
    lane.chunks().open(kLater);  // the slot's next request
  }
  executor.join();
  handoff::drain_completions_into(lane, batch);
  handoff::apply(batch, slot);
  require(!lane.chunks().has_frames(), "a frame is left behind");
  require(slot.finished, "the slot is never finished");
}

}  // namespace overbite::ordering
