// One HTTP request inside the interpreter: the coroutine its asyncio Task runs, and the receive()
// and send() its application calls. No Python frame of ours lies between the task and the
// application.
//
// Executor thread, attached, always.
#pragma once

#include <Python.h>

#include <deque>
#include <memory>
#include <string>

#include "server/base/result.h"
#include "server/python/refs.h"
#include "server/request/request.h"
#include "server/request/response_sender.h"
#include "server/request/response_state.h"

namespace overbite::python {

class Exchange;

// What a cycle needs from the executor that runs it. Outlives every exchange. Nothing here waits.
class CycleHost : public request::ReplySink {
 public:
  virtual const request::ResponseRules& rules() const = 0;
  // A future of the running loop; null with an exception set on failure.
  virtual Owned new_future() = 0;
  // exchange.flush() is called before the event loop sleeps again.
  virtual void flush_later(Exchange& exchange) = 0;
  // The application's coroutine has ended; nothing of it will run again.
  virtual void ended(Exchange& exchange) = 0;
};

// The state of the request, shared by the coroutine and the pending receive() and send() calls.
// Held by the cycle object, which everything else holds.
class Exchange {
 public:
  Exchange(CycleHost& host, base::SlotRef slot, std::unique_ptr<request::Request> request);

  base::SlotRef slot() const { return sender_.slot(); }

  // --- news from the loop ---------------------------------------------------------------------
  void on_body(request::BodyPiece& piece);
  void on_disconnect();
  void on_half_close();
  void on_credit();
  // The client waits for more of the response.
  bool streaming() const { return sender_.streaming() && !disconnected_; }

  // --- for receive() and send() ---------------------------------------------------------------
  enum class Outcome { kReady, kWait, kError };
  // kReady: `message` is a new dict.
  Outcome try_receive(Owned& message);
  Outcome try_send(Borrowed message);
  // The futures that wait for a change; woken ones are forgotten.
  std::deque<Owned>& receive_waiters() { return receive_waiters_; }
  std::deque<Owned>& send_waiters() { return send_waiters_; }
  CycleHost& host() { return host_; }

  // --- for the coroutine ----------------------------------------------------------------------
  // The application returned `result`.
  void returned(Borrowed result);
  // It raised: the pending exception is logged and cleared.
  void failed();
  // Hands what is ready to the loop.
  void flush();
  bool flush_is_due = false;

 private:
  bool is_next(Borrowed type) const;
  bool start(Borrowed message, Borrowed type);
  bool body(Borrowed message, Borrowed type);
  bool append_body(Borrowed piece, bool more, Borrowed type);
  void settle(bool clean);
  void wake(std::deque<Owned>& waiters);

  CycleHost& host_;
  request::ResponseState response_;
  request::ResponseSender sender_;
  std::string body_;
  bool more_body_ = true;
  bool news_ = false;  // asyncio.Event of the reference: something to receive
  bool last_body_taken_ = false;
  bool continue_due_ = false;
  bool client_ends_ = false;     // half-closed, or the server stops: told behind the body
  bool disconnected_ = false;    // or the response was cut short: the same to the application
  std::size_t taken_bytes_ = 0;  // of the body, not yet reported as taken
  std::deque<Owned> receive_waiters_;
  std::deque<Owned> send_waiters_;
};

// Registers the types (once, after the interpreter has started).
base::Result<> register_cycle_types();

// A new cycle object. `scope` and the application are called at the first step.
Owned new_cycle(std::unique_ptr<Exchange> exchange, Borrowed application, Owned scope);
Exchange& exchange_of(Borrowed cycle);
// Nothing will step the cycle (again): it ends with the pending exception, as if the application
// had raised it. When it has ended already, the exception is logged and cleared.
void abandon(Borrowed cycle);

// An awaitable for one receive() (null message) or send(message) of `cycle`; nothing happens until
// it is awaited, as with a coroutine.
Owned new_operation(Borrowed cycle, Borrowed message);
base::Result<> register_operation_type();

}  // namespace overbite::python
