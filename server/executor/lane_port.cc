#include "server/executor/lane_port.h"

#include <sys/epoll.h>

#include <utility>

#include "server/base/limits.h"

namespace overbite::executor {

using handoff::Job;
using handoff::JobKind;
using handoff::MessageKind;

namespace {

// The last message waits at most a minute for room.
constexpr int kLastTries = 600;
constexpr int kLastWaitMs = 100;

}  // namespace

handoff::LaneSizes lane_sizes() {
  return {.slots = limits::kSlotsMax,
          .submit_entries = limits::kSubmitRingEntries,
          .completion_entries = limits::kCompletionRingEntries,
          .credit_bytes = limits::kStreamCreditBytes};
}

LanePort::LanePort(net::EventLoop& loop, handoff::Lane& lane) : loop_(loop), lane_(lane) {
  loop_.add(lane_.loop_waker().fd(), EPOLLIN, *this);
  loop_.add(lane_.loop_channel().fd(), EPOLLIN, *this);
}

LanePort::~LanePort() {
  loop_.remove(lane_.loop_channel().fd());
  loop_.remove(lane_.loop_waker().fd());
}

bool LanePort::submit(base::SlotRef slot, std::unique_ptr<request::Request>& request) {
  Job job{.kind = JobKind::kStart, .slot = slot, .payload = std::move(request)};
  if (lane_.submit(std::move(job))) {
    return true;
  }
  request.reset(static_cast<request::Request*>(job.payload.release()));
  return false;
}

bool LanePort::send_body(base::SlotRef slot, std::unique_ptr<request::BodyPiece>& piece) {
  Job job{.kind = JobKind::kBody, .slot = slot, .payload = std::move(piece)};
  if (lane_.submit(std::move(job))) {
    return true;
  }
  piece.reset(static_cast<request::BodyPiece*>(job.payload.release()));
  return false;
}

void LanePort::disconnect(base::SlotRef slot) {
  lane_.chunks().close(slot);
  lane_.loop_channel().send({MessageKind::kDisconnect, slot});
}

void LanePort::half_close(base::SlotRef slot) {
  lane_.loop_channel().send({MessageKind::kHalfClose, slot});
}

void LanePort::grant(base::SlotRef slot, std::size_t bytes) {
  if (lane_.chunks().grant(slot, bytes)) {
    lane_.loop_channel().send({MessageKind::kCredit, slot});
  }
}

void LanePort::announce_stop() { lane_.loop_channel().send({MessageKind::kStop, {}}); }
void LanePort::end_streams() { lane_.loop_channel().send({MessageKind::kEndStreams, {}}); }

void LanePort::loop_finished() {
  // Before the wait: an executor that waits for room itself would never hear it.
  lane_.loop_channel().stop_receiving();  // guard: finished-loop-still-awaited
  lane_.loop_channel().send({MessageKind::kFinished, {}});
  // Nobody flushes behind this: the executor must hear it, unless it hangs.
  for (int tries = 0; tries < kLastTries && lane_.loop_channel().has_unsent(); ++tries) {
    lane_.loop_channel().wait_writable(kLastWaitMs);
    lane_.loop_channel().flush();
  }
}

// What did not fit goes out when the executor has read, which wakes nobody by itself.
void LanePort::wait_for_room() {
  const bool wanted = lane_.loop_channel().has_unsent();  // guard: unsent-slept-over
  if (wanted != waits_for_room_) {
    waits_for_room_ = wanted;
    loop_.modify(lane_.loop_channel().fd(), wanted ? EPOLLIN | EPOLLOUT : EPOLLIN, *this);
  }
}

bool LanePort::may_sleep() {
  wait_for_room();
  return lane_.loop_may_sleep();
}

void LanePort::run(handoff::BatchHandler& handler) {
  lane_.loop_channel().flush();
  handoff::drain_completions_into(lane_, batch_);
  handoff::apply(batch_, handler);
}

}  // namespace overbite::executor
