// overbite/ordering.h: one body, explored for somebody else's test.
#include <utility>

#include "ordering/explore/explorer.h"
#include "ordering/headers/overbite/ordering.h"
#include "ordering/report/history.h"
#include "ordering/report/replay_string.h"
#include "ordering/report/shrink.h"
#include "ordering/report/timeline.h"

namespace overbite::ordering {

namespace {

Outcome outcome_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPass:
      return Outcome::kPass;
    case Verdict::kFail:
      return Outcome::kFail;
    case Verdict::kIncomplete:
      return Outcome::kIncomplete;
    case Verdict::kStopped:
      return Outcome::kStopped;
    case Verdict::kNotArmed:
      break;
  }
  return Outcome::kNotArmed;
}

void tell(Machine& machine,
          const std::function<void()>& body,
          const Execution& found,
          Explored& explored) {
  const Shrunk shrunk = shrink(machine, body, found);
  const SourceLookup lines = source_lines_of(shrunk.failed);
  const History history(shrunk.failed);
  explored.timeline = to_text(
      make_timeline(history, lines, explain(history, lines, shrunk.passes_without_last_switch)),
      false);
  if (shrunk.replayed) {
    explored.replay = to_replay_string(steps_of(shrunk.failed.events));
  }
}

}  // namespace

std::string Explored::text() const {
  if (passed()) {
    return {};
  }
  return message + "\n" + timeline + (replay.empty() ? "" : "replay: " + replay + "\n");
}

namespace detail {

Explored explore_armed(const std::function<void()>& body,
                       const ExploreOptions& options,
                       const std::function<void()>& planted) {
  Machine machine;
  Explored explored;
  const Exploration probe = explore_all(machine, planted, Model::kSc, {});
  const bool races =
      probe.verdict == Verdict::kFail && probe.failed.failure.kind == FailureKind::kDataRace;
  if (!races) {  // guard: caller-not-armed
    explored.message =
        "not armed: a race planted beside the call of explore() was not found: compile it with "
        "-fsanitize=thread";
    return explored;
  }
  ExploreLimits limits;
  limits.executions_max = options.executions_max;
  limits.leaks = options.leaks;
  for (const Model model : {Model::kSc, Model::kRc11}) {
    if (options.models == (model == Model::kSc ? Models::kRc11 : Models::kSc)) {
      continue;
    }
    const Exploration found = explore_all(machine, body, model, limits);
    (model == Model::kSc ? explored.sc : explored.rc11) = {
        found.executions, found.cut, found.assumed};
    explored.outcome = outcome_of(found.verdict);
    explored.message = found.reason;
    if (found.verdict == Verdict::kFail) {
      tell(machine, body, found.failed, explored);
    }
    if (found.verdict != Verdict::kPass) {
      break;
    }
  }
  return explored;
}

}  // namespace detail

}  // namespace overbite::ordering
