#include "ordering/explore/replay.h"

#include <fmt/format.h>

#include <bit>
#include <string>
#include <utility>

namespace overbite::ordering {

namespace {

Choice mismatch(std::size_t step, const std::string& why) {
  return {Choice::Kind::kStop,
          0,
          0,
          {FailureKind::kReplayMismatch,
           fmt::format("the string no longer fits at step {}: {}", step, why)}};
}

}  // namespace

Replay::Replay(std::vector<Step> steps, std::uint32_t signature_mask)
    : steps_(std::move(steps)), signature_mask_(signature_mask) {}

bool Replay::begin() { return !std::exchange(started_, true); }

Choice Replay::choose(const StepView& view) {
  if (next_ == steps_.size()) {
    return {Choice::Kind::kRun, std::countr_zero(view.enabled()), 0, {}};
  }
  const Step& step = steps_[next_++];
  if ((view.pending() & mask_of(step.thread)) == 0) {
    return mismatch(next_, fmt::format("thread {} has nothing to do there", step.thread));
  }
  if ((view.enabled() & mask_of(step.thread)) == 0) {
    return mismatch(next_, "blocked, " + view.describe_next(step.thread));
  }
  const std::uint32_t signature = signature_of(step.thread, view.next(step.thread));
  if (((signature ^ step.signature) & signature_mask_) != 0) {
    return mismatch(next_, "another operation, " + view.describe_next(step.thread));
  }
  if (step.variant >= view.variants(step.thread)) {
    return mismatch(next_, "fewer waiters, " + view.describe_next(step.thread));
  }
  return {Choice::Kind::kRun, step.thread, step.variant, {}};
}

void Replay::ended(const StepView& /*view*/, End /*end*/) {}

}  // namespace overbite::ordering
