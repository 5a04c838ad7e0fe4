// The loop's side of a lane whose executor is another thread.
#pragma once

#include "server/handoff/lane.h"
#include "server/net/event_loop.h"
#include "server/request/executor_port.h"

namespace overbite::executor {

// The lane's usual sizes (limits.h).
handoff::LaneSizes lane_sizes();

// Loop thread only; the loop and the lane outlive the port.
class LanePort : public request::ExecutorPort, private net::EventHandler {
 public:
  LanePort(net::EventLoop& loop, handoff::Lane& lane);
  ~LanePort() override;

  bool wants_whole_body() const override { return false; }
  bool submit(base::SlotRef slot, std::unique_ptr<request::Request>& request) override;
  bool send_body(base::SlotRef slot, std::unique_ptr<request::BodyPiece>& piece) override;
  void disconnect(base::SlotRef slot) override;
  void half_close(base::SlotRef slot) override;
  void grant(base::SlotRef slot, std::size_t bytes) override;
  void announce_stop() override;
  void end_streams() override;
  void loop_finished() override;
  bool may_sleep() override;
  void woke() override { lane_.loop_woke(); }
  void run(handoff::BatchHandler& handler) override;

 protected:
  handoff::Lane& lane() { return lane_; }

 private:
  void wait_for_room();
  // Readiness only ends the wait: every pass flushes and drains.
  void on_events(std::uint32_t) override {}

  net::EventLoop& loop_;
  handoff::Lane& lane_;
  handoff::Batch batch_;
  bool waits_for_room_ = false;  // in the channel
};

}  // namespace overbite::executor
