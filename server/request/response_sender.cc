#include "server/request/response_sender.h"

#include <memory>
#include <utility>

#include "server/base/check.h"
#include "server/request/request.h"

namespace overbite::request {

using handoff::CompletionKind;
using handoff::Frame;
using handoff::PushResult;

void ResponseSender::complete(CompletionKind kind, bool close) {
  auto reply = std::make_unique<Reply>();
  reply->bytes = std::exchange(pending_, {});
  reply->close = close;
  sink_.complete({kind, slot_, std::move(reply)});
}

PushResult ResponseSender::flush(bool close) {
  CHECK(!slot_finished_);
  starved_ = false;
  if (pending_.empty()) {
    return PushResult::kAccepted;
  }
  if (!begun_) {
    begun_ = true;
    sink_.open_stream(slot_);
    complete(CompletionKind::kBegin, close);
    return PushResult::kAccepted;
  }
  Frame frame{.slot = slot_, .bytes = std::exchange(pending_, {})};
  const PushResult result = sink_.push_frame(frame);
  if (result == PushResult::kNoCredit) {
    pending_ = std::move(frame.bytes);
    starved_ = true;
  }
  return result;
}

void ResponseSender::finish(bool close) {
  CHECK(!slot_finished_);
  slot_finished_ = true;
  if (!begun_) {
    complete(CompletionKind::kDone, close);
    return;
  }
  Frame frame{.slot = slot_, .bytes = std::exchange(pending_, {}), .last = true};
  if (sink_.push_frame(frame) == PushResult::kClosed) {
    sink_.complete({CompletionKind::kDone, slot_, nullptr});
  }
}

void ResponseSender::stop_short() {
  CHECK(!slot_finished_);
  slot_finished_ = true;
  if (!begun_) {
    complete(CompletionKind::kDone, true);
    return;
  }
  Frame frame{.slot = slot_, .bytes = std::exchange(pending_, {}), .needs_no_credit = true};
  if (!frame.bytes.empty()) {
    // Closed: the client is gone and needs no bytes; the abort still finishes the slot.
    [[maybe_unused]] const PushResult result = sink_.push_frame(frame);
  }
  sink_.send_message({handoff::MessageKind::kAbort, slot_});
}

void ResponseSender::gone() {
  CHECK(!slot_finished_);
  slot_finished_ = true;
  pending_.clear();
  sink_.complete({CompletionKind::kDone, slot_, nullptr});
}

}  // namespace overbite::request
