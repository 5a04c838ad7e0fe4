// Stand-in for a WSGI call: the application is a script of pieces. ResponseSender is the real one.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "server/request/request.h"
#include "server/request/response_sender.h"

namespace overbite::executor {

// What an application did with one request.
struct Call {
  std::size_t pieces = 0;  // to come
  bool started = false;
  bool told_to_close = false;  // its response was to say "connection: close"
  bool closed = false;         // the client is gone: the iterable was closed early
};

// By slot index. Touched only while attached.
struct WsgiApplication {
  mutable std::vector<Call> calls;
};

class WsgiExchange final {
 public:
  WsgiExchange(const WsgiApplication& application,
               request::ReplySink& sink,
               base::SlotRef slot,
               std::unique_ptr<request::Request> request)
      : call_(application.calls[slot.index]), sender_(sink, slot) {
    call_.started = true;
    call_.told_to_close = request->draining || sink.stopping();
  }

  enum class Progress { kMore, kFinished };
  Progress step() {
    if (call_.pieces == 0) {
      sender_.finish(false);
      return Progress::kFinished;
    }
    --call_.pieces;
    sender_.pending() += "abcd";
    return Progress::kMore;
  }
  bool flush() { return sender_.flush(false) != handoff::PushResult::kNoCredit; }
  void client_gone() {
    call_.closed = true;
    sender_.gone();
  }
  bool rest_is_ready() const { return false; }
  base::SlotRef slot() const { return sender_.slot(); }

 private:
  Call& call_;
  request::ResponseSender sender_;
};

}  // namespace overbite::executor
