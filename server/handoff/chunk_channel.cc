#include "server/handoff/chunk_channel.h"

#include <utility>

#include "server/base/check.h"

namespace overbite::handoff {

ChunkChannel::ChunkChannel(std::size_t slots, std::int64_t credit_bytes)
    : credit_bytes_(credit_bytes), streams_(slots) {}

void ChunkChannel::open(SlotRef slot) {
  const std::lock_guard lock(mutex_);
  CHECK_LT(slot.index, streams_.size());
  Stream& stream = streams_[slot.index];
  CHECK(stream.queue.empty());
  stream.generation = slot.generation;
  stream.open = stream.gone_generation != slot.generation;  // guard: close-before-open-forgotten
  stream.starved = false;
  stream.credit_bytes = credit_bytes_;
}

PushResult ChunkChannel::push_locked(Frame& frame) {
  Stream& stream = streams_[frame.slot.index];
  if (!stream.open || stream.generation != frame.slot.generation) {
    return PushResult::kClosed;
  }
  const bool exempt = frame.last || frame.needs_no_credit;
  if (stream.credit_bytes <= 0 && !exempt) {  // guard: credit-ignored
    stream.starved = true;                    // guard: starved-forgotten
    return PushResult::kNoCredit;
  }
  stream.credit_bytes -= static_cast<std::int64_t>(frame.bytes.size());
  if (stream.queue.empty()) {
    ready_.push_back(frame.slot.index);
  }
  stream.queue.push_back(std::move(frame));
  frames_.fetch_add(1, std::memory_order_seq_cst);
  return PushResult::kAccepted;
}

PushResult ChunkChannel::try_push(Frame& frame) {
  const std::lock_guard lock(mutex_);
  return push_locked(frame);
}

PushResult ChunkChannel::push_or_wait(Frame& frame) {
  std::unique_lock lock(mutex_);
  while (true) {
    const PushResult result = push_locked(frame);
    if (result != PushResult::kNoCredit) {
      return result;
    }
    granted_.wait(lock);
  }
}

bool ChunkChannel::grant(SlotRef slot, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  Stream& stream = streams_[slot.index];
  if (!stream.open || stream.generation != slot.generation) {
    return false;
  }
  stream.credit_bytes += static_cast<std::int64_t>(bytes);
  if (!stream.starved || stream.credit_bytes <= 0) {
    return false;
  }
  stream.starved = false;
  granted_.notify_all();  // guard: credit-wakes-nobody
  return true;
}

void ChunkChannel::close(SlotRef slot) {
  const std::lock_guard lock(mutex_);
  Stream& stream = streams_[slot.index];
  if (stream.generation != slot.generation) {
    stream.gone_generation = slot.generation;
    return;
  }
  stream.open = false;  // guard: closed-stream-goes-on
  // The last frame finishes the slot: dropped with the others, the slot would be in use for ever.
  const bool ended = !stream.queue.empty() && stream.queue.back().last;
  const std::size_t kept = ended ? 1 : 0;  // guard: last-frame-dropped-on-close
  frames_.fetch_sub(stream.queue.size() - kept, std::memory_order_seq_cst);  // guard: drop-miscount
  stream.queue.erase(stream.queue.begin(), stream.queue.end() - static_cast<std::ptrdiff_t>(kept));
  if (stream.queue.empty()) {
    std::erase(ready_, slot.index);
  }
  granted_.notify_all();  // guard: close-wakes-nobody
}

void ChunkChannel::drain(std::vector<Frame>& out) {
  const std::lock_guard lock(mutex_);
  for (const std::uint32_t index : ready_) {
    Stream& stream = streams_[index];
    frames_.fetch_sub(stream.queue.size(), std::memory_order_seq_cst);
    for (Frame& frame : stream.queue) {
      out.push_back(std::move(frame));
    }
    stream.queue.clear();
  }
  ready_.clear();
}

}  // namespace overbite::handoff
