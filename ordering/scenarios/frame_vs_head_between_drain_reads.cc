// The window of design 1.3 once more, between the other two reads: a stream's head goes over the
// ring, its frames over the chunk channel. A drain that reads the ring before the chunks can be
// caught between the two, takes a frame without its head, and the client reads body bytes where the
// status line belongs.
#include <string>
#include <thread>

#include "ordering/scenario.h"
#include "ordering/scenarios/lane_setup.h"
#include "server/handoff/drain.h"

namespace overbite::ordering {
namespace {

constexpr handoff::SlotRef kStream{0, 1};

// What the client reads.
struct Wire final : handoff::BatchHandler {
  std::string bytes;

  void on_completion(handoff::Completion /*completion*/) override { bytes += "head "; }
  void on_frame(handoff::Frame frame) override { bytes += frame.bytes; }
  void on_message(const handoff::Message& /*message*/) override {}
};

}  // namespace

OVERBITE_SCENARIO(frame_vs_head_between_drain_reads,
                  "a frame is applied after the head its sender pushed before it") {
  handoff::Lane lane(kSmallLane);
  name_lane(lane);
  name_thread("loop");
  std::thread pool([&lane] {
    name_thread("pool");
    lane.chunks().open(kStream);
    lane.complete({handoff::CompletionKind::kBegin, kStream, nullptr});
    handoff::Frame frame{kStream, "body", true, false};
    require(lane.chunks().try_push(frame) == handoff::PushResult::kAccepted, "no credit");
    lane.frame_pushed();
  });

  Wire wire;
  handoff::Batch batch;
  handoff::drain_completions_into(lane, batch);
  handoff::apply(batch, wire);
  pool.join();
  handoff::drain_completions_into(lane, batch);
  handoff::apply(batch, wire);
  require(wire.bytes.find("body") >= wire.bytes.find("head"), "a frame came before its head");
  require(wire.bytes == "head body", "a part of the response is lost");
}

}  // namespace overbite::ordering
