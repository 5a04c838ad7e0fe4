// Brings a response's bytes from an application's thread to the loop: whole when it is ready at
// once, as a stream when it is not, and with exactly one final word for the slot whatever happens.
#pragma once

#include <string>

#include "server/base/slot_ref.h"
#include "server/handoff/chunk_channel.h"
#include "server/handoff/messages.h"

namespace overbite::request {

// The executor's half of a lane, as far as a response needs it. Outlives its senders.
class ReplySink {
 public:
  virtual ~ReplySink() = default;
  virtual void complete(handoff::Completion completion) = 0;
  virtual void open_stream(base::SlotRef slot) = 0;
  // May wait for credit, or answer kNoCredit, as the executor's threads can afford.
  virtual handoff::PushResult push_frame(handoff::Frame& frame) = 0;
  virtual void send_message(const handoff::Message& message) = 0;
  // The server is stopping: a head that is not out yet says that the connection closes.
  virtual bool stopping() const = 0;
  // What was handed over is on its way when this returns. Nothing to do where another thread takes
  // it.
  virtual void deliver() {}
};

// One thread at a time. The slot is finished by exactly one of finish(), stop_short() and gone().
class ResponseSender {
 public:
  ResponseSender(ReplySink& sink, base::SlotRef slot) : sink_(sink), slot_(slot) {}

  base::SlotRef slot() const { return slot_; }
  // Bytes that are not handed over yet: the response is written behind them.
  std::string& pending() { return pending_; }
  bool slot_finished() const { return slot_finished_; }
  bool streaming() const { return begun_ && !slot_finished_; }
  // The last flush found no credit: pending() waits for it.
  bool starved() const { return starved_; }

  // Hands over what is pending of a response that is not complete. `close`: the connection will end
  // with it. kClosed: the client is gone.
  handoff::PushResult flush(bool close);
  // The response is complete.
  void finish(bool close);
  // It will never be complete: what was accepted goes out and the connection ends behind it. No
  // terminator is written: the client must be able to tell.
  void stop_short();
  // The client is gone: what is pending is dropped.
  void gone();

 private:
  void complete(handoff::CompletionKind kind, bool close);

  ReplySink& sink_;
  const base::SlotRef slot_;
  std::string pending_;
  bool begun_ = false;
  bool starved_ = false;
  bool slot_finished_ = false;
};

}  // namespace overbite::request
