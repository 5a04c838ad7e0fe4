#include "server/handoff/job_queue.h"

#include <utility>

namespace overbite::handoff {

void JobQueue::push(Job job) {
  const std::lock_guard lock(mutex_);
  jobs_.push_back(std::move(job));
  changed_.notify_one();  // guard: job-wakes-nobody
}

void JobQueue::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_all();  // guard: close-wakes-one-worker
}

std::optional<Job> JobQueue::pop() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return closed_ || !jobs_.empty(); });  // guard: woken-for-nothing
  if (jobs_.empty()) {  // guard: closed-queue-drops-jobs
    return std::nullopt;
  }
  Job job = std::move(jobs_.front());
  jobs_.pop_front();  // guard: job-taken-twice
  return job;
}

}  // namespace overbite::handoff
