#include "ordering/explore/explorer.h"

#include <fmt/format.h>
#include <sys/single_threaded.h>

#include <algorithm>
#include <chrono>

#include "ordering/explore/brute_force.h"
#include "ordering/runtime/crash_handler.h"

namespace overbite::ordering {

namespace {

using Clock = std::chrono::steady_clock;

// True when the exploration ends with this execution.
bool account(const Execution& execution, const ExploreLimits& limits, Exploration& out) {
  out.events += execution.events.size();
  switch (execution.end) {
    case End::kComplete:
      ++out.executions;
      return false;
    case End::kCut:
      ++out.cut;
      return false;
    case End::kAssumed:
      ++out.assumed;
      return false;
    case End::kFailed:
      ++out.executions;
      out.verdict = Verdict::kFail;
      break;
    case End::kStopped:
      out.verdict = Verdict::kStopped;
      break;
    case End::kStepCap:
      out.verdict = Verdict::kIncomplete;
      out.reason =
          fmt::format("cap reached: an execution of {} steps (an endless loop?)", limits.steps_max);
      return true;
  }
  out.failed = execution;
  out.reason = execution.failure.message;
  return true;
}

// A deadlock's or a race's message depends on where everybody stood; a requirement's does not.
bool same_failure(const Failure& a, const Failure& b) {
  const bool by_message = a.kind == FailureKind::kRequirement || a.kind == FailureKind::kCrash;
  return a.kind == b.kind && (!by_message || a.message == b.message);
}

}  // namespace

Exploration explore(Machine& machine,
                    const std::function<void()>& body,
                    Strategy& strategy,
                    const ExploreLimits& limits) {
  // libstdc++ would make reference counts plain integers: there is one OS thread.
  __libc_single_threaded = 0;
  install_crash_handler();
  const auto start = Clock::now();
  Exploration out;
  std::uint64_t started = 0;
  while (strategy.begin()) {
    if (started++ == limits.executions_max) {
      out.verdict = Verdict::kIncomplete;
      out.reason = fmt::format("cap reached: {} executions", limits.executions_max);
      break;
    }
    if (account(machine.run(body, strategy, limits.steps_max), limits, out)) {
      break;
    }
  }
  if (out.events == 0 && out.verdict == Verdict::kPass) {
    out.verdict = Verdict::kNotArmed;
    out.reason = "not armed: no visible operation was seen (is the code instrumented?)";
  }
  out.elapsed_ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  return out;
}

Execution simplest_failure(Machine& machine,
                           const std::function<void()>& body,
                           const Execution& found) {
  const auto preemptions = std::count_if(
      found.events.begin(), found.events.end(), [](const Event& event) { return event.preempts; });
  // Wide enough for two preemptions in some hundred steps; past that the run that was found is
  // shown as it is.
  constexpr std::uint64_t kExecutionsMax = 20000;
  std::uint64_t left = kExecutionsMax;
  for (int bound = 0; bound < preemptions; ++bound) {
    BruteForce strategy(bound);
    while (left > 0 && strategy.begin()) {
      --left;
      const Execution& execution = machine.run(body, strategy, found.events.size() * 4 + 100);
      if (execution.end == End::kFailed && same_failure(execution.failure, found.failure)) {
        return execution;
      }
    }
  }
  return found;
}

}  // namespace overbite::ordering
