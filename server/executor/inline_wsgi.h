// WSGI on the loop thread itself (--blocking-threads 0): no hand-off, one request at a time makes
// progress, and a stream's next piece is asked for only when its client has room.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>

#include "server/executor/wsgi_exchange.h"
#include "server/request/executor_port.h"

namespace overbite::executor {

// The loop's thread, which is attached to the interpreter except while it waits.
class InlineWsgi final : public request::ExecutorPort, public request::ReplySink {
 public:
  explicit InlineWsgi(const WsgiApplication& application) : application_(application) {}

  // --- request::ExecutorPort --------------------------------------------------------------------
  bool wants_whole_body() const override { return true; }
  bool submit(base::SlotRef slot, std::unique_ptr<request::Request>& request) override;
  bool send_body(base::SlotRef slot, std::unique_ptr<request::BodyPiece>& piece) override;
  void disconnect(base::SlotRef slot) override;
  void half_close(base::SlotRef) override {}
  void grant(base::SlotRef slot, std::size_t bytes) override;
  void announce_stop() override { stopping_ = true; }
  void end_streams() override {}
  void loop_finished() override {}
  bool may_sleep() override { return ready_.empty() && batch_.empty(); }
  void woke() override {}
  void run(handoff::BatchHandler& handler) override;

  // --- request::ReplySink -----------------------------------------------------------------------
  void complete(handoff::Completion completion) override;
  void open_stream(base::SlotRef slot) override;
  handoff::PushResult push_frame(handoff::Frame& frame) override;
  void send_message(const handoff::Message& message) override;
  bool stopping() const override { return stopping_; }
  void deliver() override;

 private:
  struct Call {
    std::unique_ptr<WsgiExchange> exchange;
    std::int64_t credit_bytes = 0;
    bool gone = false;
    bool queued = false;  // in ready_
  };
  void make_ready(std::uint32_t index);
  void advance(Call& call);
  void finish(std::uint32_t index);
  Call* find(base::SlotRef slot);

  const WsgiApplication& application_;
  std::unordered_map<std::uint32_t, Call> calls_;  // by slot index
  std::deque<std::uint32_t> ready_;                // slots that can make a step
  handoff::Batch batch_;
  handoff::BatchHandler* handler_ = nullptr;  // in run()
  bool stopping_ = false;
};

}  // namespace overbite::executor
