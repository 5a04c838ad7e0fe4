// The loop thread's program: accepts, owns the connections and the slots, takes what the executor
// returns, and stops in good order.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "server/base/limits.h"
#include "server/handoff/drain.h"
#include "server/net/event_loop.h"
#include "server/net/listener.h"
#include "server/request/connection.h"
#include "server/request/executor_port.h"
#include "server/request/response_state.h"
#include "server/request/slot_table.h"

namespace overbite::request {

// Times that the user may set.
struct Times {
  // From the stop request until what still runs is cut off; applications that stream are told after
  // half of it.
  std::int64_t grace_ms;
  // A connection without a request is closed after this.
  std::int64_t keep_alive_ms = limits::kKeepAliveDefaultMs;
};

class Hub final : public handoff::BatchHandler, private net::EventHandler {
 public:
  // Everything given outlives the hub.
  Hub(net::EventLoop& loop, ExecutorPort& port, const ResponseRules& rules, Times times);
  ~Hub() override;

  // Takes over the socket; connections are accepted from the first run().
  void listen(net::BoundSocket socket);
  // Serves until a stop was asked for and everything is answered or cut off.
  void run();
  // One pass of it: waits for events if there is nothing else to do, and applies them.
  void run_pass();
  // Any thread, and a signal handler: begin to stop. A second call cuts everything off at once.
  void request_stop();

  // --- for connections ------------------------------------------------------------------------
  net::EventLoop& loop() { return loop_; }
  ExecutorPort& port() { return port_; }
  const ResponseRules& rules() const { return rules_; }
  const Times& times() const { return times_; }
  const std::string& date();
  // Generation 0 when there is none; then advance() is called once one is free.
  base::SlotRef acquire_slot(Connection& connection);
  // The connection is gone and the executor has the slot.
  void orphan_slot(base::SlotRef slot);
  // The executor never had it.
  void release_slot(base::SlotRef slot);
  // advance() is called after the next pass.
  void retry_later(Connection& connection);
  // Destroyed at the end of the pass.
  void bury(Connection& connection);
  std::size_t connections() const { return connections_.size(); }

  // --- handoff::BatchHandler ------------------------------------------------------------------
  void on_completion(handoff::Completion completion) override;
  void on_frame(handoff::Frame frame) override;
  void on_message(const handoff::Message& message) override;

 private:
  void on_events(std::uint32_t events) override;  // the stop signal
  void accept(base::UniqueFd fd);
  void begin_stop();
  void cut_off();
  void retry();
  void close_answered(base::SlotRef slot);

  net::EventLoop& loop_;
  ExecutorPort& port_;
  const ResponseRules& rules_;
  const Times times_;
  SlotTable slots_;
  std::unique_ptr<net::Listener> listener_;
  std::unordered_set<Connection*> connections_;
  std::vector<Connection*> buried_;
  std::deque<Connection*> waiting_;  // for a slot
  std::vector<Connection*> retries_;
  base::UniqueFd stop_fd_;
  std::atomic<int> stop_requests_{0};
  net::Timer notice_;  // half of the grace period: applications are told to end their streams
  net::Timer grace_;
  net::Timer retry_soon_;  // only to end the wait
  std::string date_;
  std::time_t date_seconds_ = 0;
  bool stopping_ = false;
  bool cut_ = false;
};

}  // namespace overbite::request
