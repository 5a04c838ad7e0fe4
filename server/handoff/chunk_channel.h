// Body frames of the open streams, with credit: the application may be at most kStreamCreditBytes
// plus one frame ahead of what the socket took.
//
// A stream is opened by its producer before its begin completion is pushed, and closed by the loop.
// One mutex guards everything: frames are few and large compared with completions.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "server/handoff/messages.h"

namespace overbite::handoff {

enum class PushResult : std::uint8_t {
  kAccepted,
  kNoCredit,  // try again after a kCredit message; the frame stays with the caller
  kClosed,    // the client is gone, or the stream's generation has passed: stop producing
};

class ChunkChannel {
 public:
  ChunkChannel(std::size_t slots, std::int64_t credit_bytes);

  // Producer. A stream that the loop has closed already opens closed: every push is refused.
  void open(SlotRef slot);
  // Moves `frame` in when the stream has credit. A frame that ends
  // the stream (last, or needs_no_credit before an abort) is always taken.
  PushResult try_push(Frame& frame);
  // As try_push, but waits for credit. Never call it attached to Python.
  PushResult push_or_wait(Frame& frame);

  // Loop thread. The client took `bytes`. True when the producer had run out of credit and may go
  // on now: then a kCredit message is due.
  [[nodiscard]] bool grant(SlotRef slot, std::size_t bytes);
  // Drops what is queued, but for a last frame, and lets the producer know at its next push.
  void close(SlotRef slot);
  // Appends every frame of every stream, in order within a stream.
  void drain(std::vector<Frame>& out);
  // Whether drain would find something. Sequentially consistent with push, for the parked flag.
  bool has_frames() const { return frames_.load(std::memory_order_seq_cst) != 0; }

 private:
  struct Stream {
    std::uint32_t generation = 0;
    std::uint32_t gone_generation = 0;  // closed before it was opened; 0: none
    bool open = false;
    bool starved = false;  // a push found no credit since the last grant
    std::int64_t credit_bytes = 0;
    std::deque<Frame> queue;
  };

  PushResult push_locked(Frame& frame);

  const std::int64_t credit_bytes_;
  std::mutex mutex_;
  std::condition_variable granted_;
  std::vector<Stream> streams_;
  std::vector<std::uint32_t> ready_;  // slots whose queue is not empty
  std::atomic<std::size_t> frames_{0};
};

}  // namespace overbite::handoff
