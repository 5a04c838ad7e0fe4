// One WSGI request: the application's call, and its response on the way to the loop. Stepwise, so
// that the pool's thread (which waits for the client between steps) and the loop itself (which
// comes back) drive the same thing.
#pragma once

#include <memory>
#include <string>

#include "server/python/wsgi.h"
#include "server/request/response_sender.h"
#include "server/request/response_state.h"

namespace overbite::executor {

// What all WSGI requests share; outlives them.
struct WsgiApplication {
  python::Borrowed application;
  const python::EnvironTemplate& environ;
  const request::ResponseRules& rules;
};

// One thread at a time, attached.
class WsgiExchange final : private python::WsgiSink {
 public:
  WsgiExchange(const WsgiApplication& application,
               request::ReplySink& sink,
               base::SlotRef slot,
               std::unique_ptr<request::Request> request);

  enum class Progress {
    kMore,      // call step() again, once the client has room
    kFinished,  // the slot is the loop's again
  };
  // Gets one piece from the application.
  Progress step();
  // Hands over what there is. False: no credit; call it again before the next step().
  bool flush();
  // The client is gone: the iterable is closed, the slot finished.
  void client_gone();
  // Whether what is still to come lies in memory (a list or tuple): then handing over can wait.
  bool rest_is_ready() const { return call_->rest_is_ready(); }
  base::SlotRef slot() const { return sender_.slot(); }

 private:
  bool on_head(const http::ResponseHead& head) override;
  bool on_body(std::string_view piece) override;
  bool on_end() override;
  bool send_now() override;
  bool refused(const base::Result<>& result);
  void failed();

  request::ReplySink& sink_;
  request::ResponseState response_;
  request::ResponseSender sender_;
  std::unique_ptr<python::WsgiCall> call_;
  bool started_ = false;
};

}  // namespace overbite::executor
