#include "ordering/report/shrink.h"

#include <algorithm>
#include <utility>

#include "ordering/explore/schedules.h"
#include "ordering/report/history.h"
#include "ordering/report/replay_string.h"

namespace overbite::ordering {

namespace {

// Runs for one failure; each of a few microseconds.
constexpr int kRunsMax = 2000;

class Shrinker {
 public:
  Shrinker(Machine& machine, const std::function<void()>& body, Execution best)
      : machine_(machine), body_(body), best_(std::move(best)), steps_(steps_of(best_.events)) {}

  // Kept if it fails in the same way.
  bool attempt(const std::vector<Step>& steps);
  // One old value less, and the rest as it was, or as it comes.
  void read_newer();
  // A block of one thread goes to where the thread was before, if that saves a switch.
  void join_blocks();
  int passes_without_last_switch();
  Execution take() { return std::move(best_); }

 private:
  // The same, kept only if there is less of what `count` counts.
  bool attempt_with_less(const std::vector<Step>& steps, int (*count)(const std::vector<Step>&));
  bool join_to_the_last_block(std::size_t begin);

  Machine& machine_;
  const std::function<void()>& body_;
  Execution best_;
  std::vector<Step> steps_;
  int runs_ = 0;
};

int weak_steps(const std::vector<Step>& steps) {
  return static_cast<int>(std::count_if(
      steps.begin(), steps.end(), [](const Step& step) { return step.skipped != 0; }));
}

int switches(const std::vector<Step>& steps) {
  int result = 0;
  for (std::size_t i = 1; i < steps.size(); ++i) {
    result += steps[i].thread != steps[i - 1].thread ? 1 : 0;
  }
  return result;
}

bool Shrinker::attempt(const std::vector<Step>& steps) {
  if (runs_ == kRunsMax) {
    return false;
  }
  ++runs_;
  Execution run = replay_once(machine_, body_, steps);
  if (run.end != End::kFailed || !is_same_failure(run.failure, best_.failure) ||
      !History(run).is_consistent()) {
    return false;
  }
  best_ = std::move(run);
  steps_ = steps_of(best_.events);
  return true;
}

bool Shrinker::attempt_with_less(const std::vector<Step>& steps,
                                 int (*count)(const std::vector<Step>&)) {
  const int before = count(steps_);
  Execution kept = best_;
  if (!attempt(steps)) {
    return false;
  }
  if (count(steps_) < before) {
    return true;
  }
  best_ = std::move(kept);
  steps_ = steps_of(best_.events);
  return false;
}

void Shrinker::read_newer() {
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (steps_[i].skipped == 0) {
      continue;
    }
    std::vector<Step> steps = steps_;
    steps[i].skipped = 0;
    if (!attempt_with_less(steps, &weak_steps)) {
      steps.resize(i + 1);
      attempt_with_less(steps, &weak_steps);
    }
  }
}

void Shrinker::join_blocks() {
  for (std::size_t begin = 1; begin < steps_.size();) {
    const bool new_block = steps_[begin - 1].thread != steps_[begin].thread;
    // Every success has a switch less: this ends.
    begin = new_block && join_to_the_last_block(begin) ? 1 : begin + 1;
  }
}

bool Shrinker::join_to_the_last_block(std::size_t begin) {
  const ThreadId thread = steps_[begin].thread;
  std::size_t end = begin;
  while (end < steps_.size() && steps_[end].thread == thread) {
    ++end;
  }
  std::size_t target = begin;
  while (target > 0 && steps_[target - 1].thread != thread) {
    --target;
  }
  if (target == 0) {
    return false;
  }
  std::vector<Step> steps = steps_;
  const auto at = [&steps](std::size_t i) {
    return steps.begin() + static_cast<std::ptrdiff_t>(i);
  };
  std::rotate(at(target), at(begin), at(end));
  return attempt_with_less(steps, &switches);
}

int Shrinker::passes_without_last_switch() {
  const auto& events = best_.events;
  const auto last = std::find_if(
      events.rbegin(), events.rend(), [](const Event& event) { return event.preempts; });
  if (last == events.rend()) {
    return -1;
  }
  const std::vector<Event> before(events.begin(), last.base() - 1);
  const Execution run = replay_once(machine_, body_, steps_of(before));
  return run.end == End::kComplete ? 1 : 0;
}

}  // namespace

bool is_same_failure(const Failure& a, const Failure& b) {
  const bool by_message = a.kind == FailureKind::kRequirement || a.kind == FailureKind::kCrash;
  return a.kind == b.kind && (!by_message || a.message == b.message);
}

Execution replay_once(Machine& machine,
                      const std::function<void()>& body,
                      const std::vector<Step>& steps) {
  Replay search(machine, steps, kReplaySignatureMask);
  machine.begin_exploration();
  search.begin();
  return machine.run(body, search);
}

Shrunk shrink(Machine& machine, const std::function<void()>& body, const Execution& found) {
  Shrunk result;
  result.failed = simplest_failure(machine, body, found);
  const std::vector<Step> steps = steps_of(replayable_events(result.failed.events));
  Shrinker shrinker(machine, body, result.failed);
  result.replayed = shrinker.attempt(steps);
  if (!result.replayed) {
    return result;
  }
  shrinker.read_newer();
  shrinker.join_blocks();
  result.passes_without_last_switch = shrinker.passes_without_last_switch();
  result.failed = shrinker.take();
  return result;
}

}  // namespace overbite::ordering
