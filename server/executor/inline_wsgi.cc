#include "server/executor/inline_wsgi.h"

#include <utility>

#include "server/base/check.h"
#include "server/base/limits.h"

namespace overbite::executor {

using handoff::PushResult;

InlineWsgi::Call* InlineWsgi::find(base::SlotRef slot) {
  const auto found = calls_.find(slot.index);
  return found != calls_.end() && found->second.exchange->slot() == slot ? &found->second : nullptr;
}

void InlineWsgi::make_ready(std::uint32_t index) {
  Call& call = calls_.at(index);
  if (!call.queued) {
    call.queued = true;
    ready_.push_back(index);
  }
}

bool InlineWsgi::submit(base::SlotRef slot, std::unique_ptr<request::Request>& request) {
  Call call;
  call.exchange = std::make_unique<WsgiExchange>(application_, *this, slot, std::move(request));
  CHECK(calls_.emplace(slot.index, std::move(call)).second);
  make_ready(slot.index);
  return true;
}

bool InlineWsgi::send_body(base::SlotRef, std::unique_ptr<request::BodyPiece>&) {
  CHECK(false && "a WSGI request is submitted with its whole body");
  return false;
}

void InlineWsgi::disconnect(base::SlotRef slot) {
  if (Call* const call = find(slot); call != nullptr) {
    call->gone = true;
    make_ready(slot.index);
  }
}

void InlineWsgi::grant(base::SlotRef slot, std::size_t bytes) {
  if (Call* const call = find(slot); call != nullptr) {
    call->credit_bytes += static_cast<std::int64_t>(bytes);
    if (call->credit_bytes > 0) {
      make_ready(slot.index);
    }
  }
}

void InlineWsgi::run(handoff::BatchHandler& handler) {
  handler_ = &handler;
  // Those that become ready meanwhile wait for the next pass: sockets come in between.
  for (std::size_t left = ready_.size(); left > 0 && !ready_.empty(); --left) {
    const std::uint32_t index = ready_.front();
    ready_.pop_front();
    calls_.at(index).queued = false;
    advance(calls_.at(index));
  }
  deliver();
}

// Also in the middle of a call, which may be made ready again, or be told that its client is gone.
void InlineWsgi::deliver() {
  while (!batch_.empty()) {
    handoff::Batch batch = std::exchange(batch_, {});
    handoff::apply(batch, *handler_);
  }
}

void InlineWsgi::finish(std::uint32_t index) {
  std::erase(ready_, index);
  calls_.erase(index);
}

void InlineWsgi::advance(Call& call) {
  const std::uint32_t index = call.exchange->slot().index;
  if (call.gone) {
    call.exchange->client_gone();
    finish(index);
    return;
  }
  if (!call.exchange->flush()) {
    return;  // until a grant
  }
  while (call.exchange->step() == WsgiExchange::Progress::kMore) {
    if (!call.exchange->rest_is_ready()) {
      if (call.exchange->flush()) {
        make_ready(index);
      }
      return;
    }
  }
  finish(index);
}

void InlineWsgi::complete(handoff::Completion completion) {
  batch_.completions.push_back(std::move(completion));
}

void InlineWsgi::open_stream(base::SlotRef slot) {
  find(slot)->credit_bytes = limits::kStreamCreditBytes;
}

PushResult InlineWsgi::push_frame(handoff::Frame& frame) {
  Call* const call = find(frame.slot);
  if (call == nullptr || call->gone) {
    return PushResult::kClosed;
  }
  if (call->credit_bytes <= 0 && !frame.last && !frame.needs_no_credit) {
    return PushResult::kNoCredit;
  }
  call->credit_bytes -= static_cast<std::int64_t>(frame.bytes.size());
  batch_.frames.push_back(std::move(frame));
  return PushResult::kAccepted;
}

void InlineWsgi::send_message(const handoff::Message& message) {
  batch_.messages.push_back(message);
}

}  // namespace overbite::executor
