#include "server/executor/blocking_pool.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "server/python/interpreter.h"

namespace overbite::executor {

BlockingPool::BlockingPool(handoff::Lane& lane, const WsgiApplication& application, int threads)
    : lane_(lane), application_(application), working_(threads) {
  threads_.reserve(static_cast<std::size_t>(threads));
  for (int i = 0; i < threads; ++i) {
    threads_.emplace_back([this] { work(); });
  }
}

BlockingPool::~BlockingPool() {
  for (std::thread& thread : threads_) {
    thread.join();
  }
}

void BlockingPool::close() {
  jobs_.close();
  const std::lock_guard lock(mutex_);
  closed_ = true;         // guard: close-unsaid
  changed_.notify_all();  // guard: close-noticed-late
}

bool BlockingPool::wait_closed(std::int64_t timeout_ms) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, std::chrono::milliseconds(timeout_ms), [this] { return closed_; });
}

bool BlockingPool::wait_ended(std::int64_t timeout_ms) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(
      lock, std::chrono::milliseconds(timeout_ms), [this] { return working_ == 0; });
}

void BlockingPool::work() {
  const python::Attached attached;
  while (true) {
    std::optional<handoff::Job> job;
    {
      const python::Detached detached;  // guard: job-awaited-attached
      job = jobs_.pop();
    }
    if (!job) {
      const std::lock_guard lock(mutex_);
      --working_;             // guard: ended-thread-counted
      changed_.notify_all();  // guard: thread-end-unsaid
      return;
    }
    serve(std::move(*job));
  }
}

void BlockingPool::serve(handoff::Job job) {
  std::unique_ptr<request::Request> request(static_cast<request::Request*>(job.payload.release()));
  const auto gone = [&] { return lane_.tags().is_tagged(job.slot); };
  if (gone()) {  // guard: gone-client-served
    lane_.complete({handoff::CompletionKind::kDone, job.slot, nullptr});
    return;
  }
  WsgiExchange exchange(application_, *this, job.slot, std::move(request));
  while (exchange.step() == WsgiExchange::Progress::kMore) {
    if (!exchange.rest_is_ready()) {
      exchange.flush();
    }
    if (gone()) {  // guard: pool-runs-on-after-disconnect
      exchange.client_gone();
      break;
    }
  }
  const std::lock_guard lock(mutex_);
  std::erase(streams_, job.slot);  // guard: ended-stream-beats
}

void BlockingPool::open_stream(base::SlotRef slot) {
  lane_.chunks().open(slot);
  const std::lock_guard lock(mutex_);
  streams_.push_back(slot);
}

handoff::PushResult BlockingPool::push_frame(handoff::Frame& frame) {
  const python::Detached detached;  // guard: credit-awaited-attached
  const auto result = lane_.chunks().push_or_wait(frame);
  lane_.frame_pushed();
  return result;
}

void BlockingPool::send_message(const handoff::Message& message) {
  while (!lane_.executor_channel().try_send(message)) {
    const python::Detached detached;
    lane_.executor_channel().wait_writable(100);
  }
}

bool BlockingPool::stopping() const {
  return stopping_.load();  // guard: pool-stop-unheard
}

void BlockingPool::beat() {
  const std::lock_guard lock(mutex_);
  for (const base::SlotRef slot : streams_) {
    // A full channel: the next beat is soon enough.
    if (!lane_.executor_channel().try_send({handoff::MessageKind::kHeartbeat, slot})) {
      return;
    }
  }
}

bool PoolPort::submit(base::SlotRef slot, std::unique_ptr<request::Request>& request) {
  pool_.jobs().push(
      {.kind = handoff::JobKind::kStart, .slot = slot, .payload = std::move(request)});
  return true;
}

void PoolPort::disconnect(base::SlotRef slot) {
  lane().tags().tag(slot);      // guard: pool-disconnect-untold
  lane().chunks().close(slot);  // guard: pool-disconnect-unheard
}

void PoolPort::loop_finished() {
  lane().loop_channel().stop_receiving();
  pool_.close();
}

void PoolPort::grant(base::SlotRef slot, std::size_t bytes) {
  // The waiting thread is woken inside; no message is needed.
  [[maybe_unused]] const bool starved = lane().chunks().grant(slot, bytes);
}

}  // namespace overbite::executor
