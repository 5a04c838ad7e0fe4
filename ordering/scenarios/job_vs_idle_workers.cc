// The pool's queue. Two workers, one job at a time each: a worker that was woken for a job may find
// that another has taken it, and has to wait on, not to end. And when the pool is closed, what was
// submitted before is still served, and every worker ends.
#include <thread>

#include "ordering/scenario.h"
#include "server/handoff/job_queue.h"

namespace overbite::ordering {
namespace {

constexpr handoff::SlotRef kFirst{0, 1};
constexpr handoff::SlotRef kSecond{1, 1};

handoff::Job start(handoff::SlotRef slot) { return {handoff::JobKind::kStart, slot, nullptr}; }

}  // namespace

OVERBITE_SCENARIO(job_vs_idle_workers,
                  "a job is taken by exactly one worker, and no worker ends while the pool runs") {
  handoff::JobQueue jobs;
  name(jobs, "jobs");
  name_thread("loop");
  int taken[2] = {0, 0};
  const auto work = [&jobs](int& slots) {
    const auto job = jobs.pop();
    require(job.has_value(), "a worker ended while the pool runs");
    slots = 1 + static_cast<int>(job->slot.index);
  };
  std::thread first([&] {
    name_thread("first");
    work(taken[0]);
  });
  std::thread second([&] {
    name_thread("second");
    work(taken[1]);
  });
  jobs.push(start(kFirst));
  jobs.push(start(kSecond));
  first.join();
  second.join();
  require(taken[0] + taken[1] == 3, "two workers took one job");
}

OVERBITE_SCENARIO(
    pool_close_vs_job,
    "a job that was submitted before the pool closed is served, and every worker ends") {
  handoff::JobQueue jobs;
  name(jobs, "jobs");
  name_thread("loop");
  int served[2] = {0, 0};
  const auto work = [&jobs](int& count) {
    while (jobs.pop().has_value()) {
      ++count;
    }
  };
  std::thread first([&] {
    name_thread("first");
    work(served[0]);
  });
  std::thread second([&] {
    name_thread("second");
    work(served[1]);
  });
  jobs.push(start(kFirst));
  jobs.close();
  first.join();
  second.join();
  require(served[0] + served[1] == 1, "a job is lost: its client waits for ever");
}

}  // namespace overbite::ordering
