// The blocking pool's side of the hand-off: jobs for whichever thread is free.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>

#include "server/handoff/messages.h"

namespace overbite::handoff {

// Bounded by the number of slots: each has at most one job here.
class JobQueue {
 public:
  // Loop thread.
  void push(Job job);
  // Every pop returns empty once the jobs that were pushed before are taken.
  void close();

  // Pool threads: waits for a job. Never call it attached to Python.
  std::optional<Job> pop();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  bool closed_ = false;
};

}  // namespace overbite::handoff
