// What the loop takes from a lane in one pass.
#pragma once

#include <vector>

#include "server/handoff/lane.h"

namespace overbite::handoff {

// To be applied in this order: completions, then frames, then messages. Then an abort is never
// applied before the begin, or the frames, that its sender published earlier.
struct Batch {
  std::vector<Completion> completions;
  std::vector<Frame> frames;
  std::vector<Message> messages;

  void clear();
  bool empty() const { return completions.empty() && frames.empty() && messages.empty(); }
};

// Appends to `out` what the lane holds, in the opposite of the order in which a sender publishes
// (head on the ring, then frames, then an abort on the channel): whatever is found in one place was
// preceded by what lies in those that are read after it. The other way round an abort could be
// taken without its head, be dropped because no stream is open, and leave the stream open for ever;
// or a frame without its head, and its bytes would stand where the client expects the status line.
void drain_completions_into(Lane& lane, Batch& out);

// The one who applies a batch. The loop thread's side of every slot.
class BatchHandler {
 public:
  virtual ~BatchHandler() = default;
  virtual void on_completion(Completion completion) = 0;
  virtual void on_frame(Frame frame) = 0;
  virtual void on_message(const Message& message) = 0;
};

// Hands everything to `handler` in the order above and leaves the batch empty.
void apply(Batch& batch, BatchHandler& handler);

}  // namespace overbite::handoff
