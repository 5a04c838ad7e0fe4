// A lane: everything between the loop thread and the threads of one executor. It owns the queues;
// each side holds a reference and uses only its own half.
#pragma once

#include <cstddef>
#include <mutex>

#include "server/handoff/channel.h"
#include "server/handoff/chunk_channel.h"
#include "server/handoff/disconnect_tags.h"
#include "server/handoff/ring.h"
#include "server/handoff/waker.h"

namespace overbite::handoff {

struct LaneSizes {
  std::size_t slots;
  std::size_t submit_entries;      // power of two
  std::size_t completion_entries;  // power of two, at least kCompletionsPerSlotMax * slots
  std::int64_t credit_bytes;
};

class Lane {
 public:
  explicit Lane(const LaneSizes& sizes);

  // --- loop thread -------------------------------------------------------------------------
  // False when the submit ring is full; the job stays with the caller.
  [[nodiscard]] bool submit(Job&& job);
  ChannelEnd& loop_channel() { return channel_.loop; }
  // Raises the loop's parked flag unless something is waiting. True: the loop may sleep until
  // loop_waker().fd() or loop_channel().fd() is readable. False: it must drain first.
  [[nodiscard]] bool loop_may_sleep();
  void loop_woke() { loop_waker_.unpark(); }
  Waker& loop_waker() { return loop_waker_; }
  CompletionRing& completions() { return completions_; }
  ChunkChannel& chunks() { return chunks_; }

  // --- executor threads ---------------------------------------------------------------------
  // The ring holds every completion the slots can have, so a push never fails. Pushes are
  // serialised: when one returns, everything pushed before it can be popped, whoever pushed it. A
  // ring alone does not promise that (a producer between its two steps hides the entries behind
  // it), and then an abort could be drained before the head its sender had pushed.
  void complete(Completion&& completion);
  // A frame was pushed to chunks(): tells the loop.
  void frame_pushed() { loop_waker_.poke(); }
  ChannelEnd& executor_channel() { return channel_.executor; }
  SubmitRing& submissions() { return submissions_; }
  DisconnectTags& tags() { return tags_; }
  // Clients that send no more, by the same rule.
  DisconnectTags& half_closed() { return half_closed_; }
  [[nodiscard]] bool executor_may_sleep();
  void executor_woke() { executor_waker_.unpark(); }
  Waker& executor_waker() { return executor_waker_; }

 private:
  Channel channel_;
  SubmitRing submissions_;
  std::mutex completing_;
  CompletionRing completions_;
  ChunkChannel chunks_;
  DisconnectTags tags_;
  DisconnectTags half_closed_;
  Waker loop_waker_;
  Waker executor_waker_;
};

}  // namespace overbite::handoff
