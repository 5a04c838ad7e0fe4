// Two pool threads complete at once. A producer that is between the two steps of its push hides
// what another pushed behind it; if that one has returned and sends an abort, the drain takes the
// abort without its head (lane.h, complete()).
#include <thread>

#include "ordering/scenario.h"
#include "ordering/scenarios/lane_setup.h"
#include "server/handoff/drain.h"

namespace overbite::ordering {
namespace {

constexpr handoff::SlotRef kOther{0, 1};
constexpr handoff::SlotRef kStream{1, 1};

}  // namespace

OVERBITE_SCENARIO(completion_vs_completion,
                  "a completion can be popped when its push returns, whoever else is pushing") {
  handoff::Lane lane(kSmallLane);
  name_lane(lane);
  name_thread("loop");
  std::thread other([&lane] {
    name_thread("other");
    lane.complete({handoff::CompletionKind::kDone, kOther, nullptr});
  });
  std::thread streamer([&lane] {
    name_thread("streamer");
    lane.complete({handoff::CompletionKind::kBegin, kStream, nullptr});
    require(lane.executor_channel().try_send({handoff::MessageKind::kAbort, kStream}),
            "the channel is full");
  });

  handoff::Batch batch;
  handoff::drain_completions_into(lane, batch);
  const bool abort = !batch.messages.empty();
  bool head = false;
  for (const handoff::Completion& completion : batch.completions) {
    head = head || completion.slot == kStream;
  }
  other.join();
  streamer.join();
  require(!abort || head, "an abort was drained before its head");
}

}  // namespace overbite::ordering
