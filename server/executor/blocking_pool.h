// The blocking pool: threads that run WSGI applications, one request at a time each.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "server/executor/lane_port.h"
#include "server/executor/wsgi_exchange.h"
#include "server/handoff/job_queue.h"
#include "server/handoff/lane.h"

namespace overbite::executor {

class BlockingPool final : public request::ReplySink {
 public:
  // Starts the threads. Everything given outlives the pool.
  BlockingPool(handoff::Lane& lane, const WsgiApplication& application, int threads);
  // Waits for the threads: call it detached, after close().
  ~BlockingPool() override;

  handoff::JobQueue& jobs() { return jobs_; }
  // The loop has served its last request: threads end when they are free.
  void close();
  // Wait, detached, at most `timeout_ms`: until close() was called; until every thread has ended.
  bool wait_closed(std::int64_t timeout_ms);
  bool wait_ended(std::int64_t timeout_ms);
  // Says of every open stream that its thread is alive. Any thread.
  void beat();
  void announce_stop() { stopping_.store(true); }

  // --- request::ReplySink: pool threads, attached ------------------------------------------------
  void complete(handoff::Completion completion) override { lane_.complete(std::move(completion)); }
  void open_stream(base::SlotRef slot) override;
  handoff::PushResult push_frame(handoff::Frame& frame) override;
  void send_message(const handoff::Message& message) override;
  bool stopping() const override;

 private:
  void work();
  void serve(handoff::Job job);

  handoff::Lane& lane_;
  const WsgiApplication& application_;
  handoff::JobQueue jobs_;
  std::atomic<bool> stopping_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<base::SlotRef> streams_;
  int working_ = 0;
  bool closed_ = false;
  std::vector<std::thread> threads_;
};

// The loop's side: jobs go to the queue, and a disconnect is told by memory, since no thread of the
// pool reads the channel.
class PoolPort final : public LanePort {
 public:
  PoolPort(net::EventLoop& loop, handoff::Lane& lane, BlockingPool& pool)
      : LanePort(loop, lane), pool_(pool) {}

  bool wants_whole_body() const override { return true; }
  bool submit(base::SlotRef slot, std::unique_ptr<request::Request>& request) override;
  void disconnect(base::SlotRef slot) override;
  void half_close(base::SlotRef) override {}
  void grant(base::SlotRef slot, std::size_t bytes) override;
  void announce_stop() override { pool_.announce_stop(); }
  void end_streams() override {}
  void loop_finished() override;

 private:
  BlockingPool& pool_;
};

}  // namespace overbite::executor
