// A producer without credit waits on a condition variable; the loop grants what the client took, or
// closes the stream because the client is gone. Whichever comes first, the producer goes on.
#include <thread>
#include <vector>

#include "ordering/scenario.h"
#include "ordering/scenarios/lane_setup.h"
#include "server/handoff/chunk_channel.h"

namespace overbite::ordering {
namespace {

constexpr handoff::SlotRef kSlot{0, 1};

}  // namespace

OVERBITE_SCENARIO(credit_vs_wait, "a producer that waits for credit is woken by the grant") {
  handoff::ChunkChannel chunks(1, 2);
  name(chunks, "chunks");
  chunks.open(kSlot);
  name_thread("loop");
  std::thread pool([&chunks] {
    name_thread("pool");
    for (int i = 0; i < 2; ++i) {
      handoff::Frame frame{kSlot, "ab", false, false};
      require(chunks.push_or_wait(frame) == handoff::PushResult::kAccepted,
              "an open stream refused a frame");
    }
  });
  // The client takes everything that is there, whenever there is something.
  std::vector<handoff::Frame> frames;
  chunks.drain(frames);
  std::size_t granted = 0;
  for (; granted < frames.size(); ++granted) {
    (void)chunks.grant(kSlot, frames[granted].bytes.size());
  }
  if (granted == 0) {
    (void)chunks.grant(kSlot, 2);  // an empty pass: what was written before, acknowledged late
  }
  pool.join();
  chunks.drain(frames);
  require(frames.size() == 2, "a frame is lost");
}

OVERBITE_SCENARIO(credit_vs_close,
                  "a producer that waits for credit is woken when the client goes") {
  handoff::ChunkChannel chunks(1, 2);
  name(chunks, "chunks");
  chunks.open(kSlot);
  name_thread("loop");
  std::thread pool([&chunks] {
    name_thread("pool");
    for (int i = 0; i < 2; ++i) {
      handoff::Frame frame{kSlot, "ab", false, false};
      if (chunks.push_or_wait(frame) == handoff::PushResult::kClosed) {
        return;
      }
    }
    require(false, "a stream took more than its credit");
  });
  chunks.close(kSlot);
  pool.join();
  require(!chunks.has_frames(), "a closed stream keeps frames");
}

OVERBITE_SCENARIO(close_vs_last_frame, "the last frame of a stream outlives its closing") {
  handoff::ChunkChannel chunks(1, 2);
  name(chunks, "chunks");
  chunks.open(kSlot);
  name_thread("loop");
  bool accepted = false;
  std::thread pool([&chunks, &accepted] {
    name_thread("pool");
    handoff::Frame frame{kSlot, "", true, false};
    accepted = chunks.push_or_wait(frame) == handoff::PushResult::kAccepted;
  });
  chunks.close(kSlot);
  pool.join();
  std::vector<handoff::Frame> frames;
  chunks.drain(frames);
  require(frames.size() == (accepted ? 1u : 0u), "the last frame of a stream is lost");
}

}  // namespace overbite::ordering
