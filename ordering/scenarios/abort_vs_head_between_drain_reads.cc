// The bug that started this project (design 1.3): a stream's head goes over the ring, its abort
// over the channel; a drain that reads the ring first can be caught between its two reads, takes
// the abort without the head, drops it, and the stream that opens at the next pass never ends.
//
// Needed for the window: a loop that is awake already when the head is pushed. An earlier answer,
// with its own poke, wakes it here.
#include <poll.h>

#include <thread>

#include "ordering/scenario.h"
#include "ordering/scenarios/lane_setup.h"
#include "server/handoff/drain.h"

namespace overbite::ordering {
namespace {

constexpr handoff::SlotRef kAnswered{0, 1};
constexpr handoff::SlotRef kStream{1, 1};

// What the loop does with a slot, as far as this scenario can tell.
struct Streams final : handoff::BatchHandler {
  bool answered = false;
  bool open = false;
  bool aborted = false;

  void on_completion(handoff::Completion completion) override {
    (completion.slot == kStream ? open : answered) = true;
  }
  void on_frame(handoff::Frame /*frame*/) override {}
  void on_message(const handoff::Message& message) override {
    // An abort for a slot that is not streaming is an old one: dropped.
    if (message.kind == handoff::MessageKind::kAbort && open) {
      open = false;
      aborted = true;
    }
  }
};

void sleep_until_something_comes(handoff::Lane& lane) {
  pollfd wakers[2] = {{lane.loop_waker().fd(), POLLIN, 0}, {lane.loop_channel().fd(), POLLIN, 0}};
  if (lane.loop_may_sleep()) {
    ::poll(wakers, 2, -1);
    lane.loop_woke();
  }
}

}  // namespace

OVERBITE_SCENARIO(abort_vs_head_between_drain_reads,
                  "an abort is applied after the head its sender pushed before it") {
  handoff::Lane lane(kSmallLane);
  name_lane(lane);
  name_thread("loop");
  std::thread pool([&lane] {
    name_thread("pool");
    lane.complete({handoff::CompletionKind::kDone, kAnswered, nullptr});
    lane.complete({handoff::CompletionKind::kBegin, kStream, nullptr});
    require(lane.executor_channel().try_send({handoff::MessageKind::kAbort, kStream}),
            "the channel is full");
  });

  Streams streams;
  handoff::Batch batch;
  sleep_until_something_comes(lane);
  handoff::drain_completions_into(lane, batch);
  handoff::apply(batch, streams);
  pool.join();
  handoff::drain_completions_into(lane, batch);
  while (!batch.empty()) {
    handoff::apply(batch, streams);
    handoff::drain_completions_into(lane, batch);
  }

  require(streams.answered, "the answer is lost");
  require(!streams.open, "abort lost: the stream stays open for ever");
  require(streams.aborted, "the stream never opened");
}

}  // namespace overbite::ordering
