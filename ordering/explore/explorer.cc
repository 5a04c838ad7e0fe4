#include "ordering/explore/explorer.h"

#include <fmt/format.h>
#include <sys/single_threaded.h>

#include <algorithm>
#include <chrono>

#include "ordering/explore/graph_search.h"
#include "ordering/explore/schedules.h"
#include "ordering/runtime/crash_handler.h"

namespace overbite::ordering {

namespace {

using Clock = std::chrono::steady_clock;

// True when the exploration ends with this execution.
bool account(const Execution& execution, Exploration& out) {
  out.steps += execution.steps;
  switch (execution.end) {
    case End::kComplete:
      ++out.executions;
      return false;
    case End::kCut:
      ++out.cut;
      return false;
    case End::kAssumed:
      ++out.assumed;  // guard: assumed-counted
      return false;
    case End::kFailed:
      ++out.executions;
      out.verdict = Verdict::kFail;
      break;
    case End::kStopped:
      out.verdict = Verdict::kStopped;
      break;
    case End::kRestart:
    case End::kAgain:
      return false;  // seen by explore(), and by the machine
    case End::kStepCap:
      out.verdict = Verdict::kIncomplete;
      out.reason =
          fmt::format("cap reached: an execution of {} steps (an endless loop?)", execution.steps);
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

template <int Lanes>
bool explore_graphs(Machine& machine,
                    const std::function<void()>& body,
                    Model model,
                    const ExploreLimits& limits,
                    Shard shard,
                    Exploration& out) {
  GraphSearch<Lanes> search(machine, model, shard);
  out = explore(machine, body, search, limits, shard.number == 0);
  return !search.has_too_many_threads();
}

}  // namespace

Exploration explore(Machine& machine,
                    const std::function<void()>& body,
                    Search& search,
                    const ExploreLimits& limits,
                    bool counts_first) {
  // libstdc++ would make reference counts plain integers: there is one OS thread.
  __libc_single_threaded = 0;
  install_crash_handler();
  machine.begin_exploration(limits.steps_max);
  machine.report_leaks(limits.leaks);
  machine.set_spurious(limits.spurious);
  machine.set_reuses(limits.reuses);
  const auto start = Clock::now();
  Exploration out;
  std::uint64_t started = 0;
  while (search.begin()) {
    if (started++ == limits.executions_max) {
      out.verdict = Verdict::kIncomplete;  // guard: cap-passes
      out.reason = fmt::format("cap reached: {} executions", limits.executions_max);
      break;
    }
    const Execution& execution = machine.run(body, search);
    if (execution.end == End::kRestart) {
      search.begin_again();
      out = {};
      started = 0;
      continue;
    }
    if (account(execution, out)) {
      break;
    }
    if (started == 1 && !counts_first) {
      out.executions = out.cut = out.assumed = 0;
    }
  }
  if (out.steps == 0 && out.verdict == Verdict::kPass) {  // guard: not-armed
    out.verdict = Verdict::kNotArmed;
    out.reason = "not armed: no visible operation was seen (is the code instrumented?)";
  }
  out.elapsed_ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  return out;
}

Exploration explore_all(Machine& machine,
                        const std::function<void()>& body,
                        Model model,
                        const ExploreLimits& limits,
                        Shard shard) {
  Exploration out;
  if (!explore_graphs<8>(machine, body, model, limits, shard, out) &&
      !explore_graphs<kThreadsMax>(machine, body, model, limits, shard, out)) {
    out.verdict = Verdict::kStopped;
    out.reason = fmt::format("not modelled: more than {} threads", kThreadsMax);
  }
  return out;
}

Execution simplest_failure(Machine& machine,
                           const std::function<void()>& body,
                           const Execution& found) {
  // Wide enough for two preemptions in some hundred steps; past that the run that was found is
  // shown as it is.
  constexpr std::uint64_t kExecutionsMax = 20000;
  constexpr int kPreemptionsMax = 3;
  std::uint64_t left = kExecutionsMax;
  for (int bound = 0; bound <= kPreemptionsMax; ++bound) {
    BruteForce search(machine, bound);
    machine.begin_exploration(found.steps * 4 + 100);
    while (left > 0 && search.begin()) {
      --left;
      const Execution& execution = machine.run(body, search);
      if (execution.end == End::kFailed && same_failure(execution.failure, found.failure)) {
        return execution;
      }
    }
  }
  return found;
}

}  // namespace overbite::ordering
