#include <fmt/format.h>

#include <utility>

#include "ordering/explore/schedules.h"

namespace overbite::ordering {

Replay::Replay(Machine& machine, std::vector<Step> steps, std::uint32_t signature_mask)
    : Schedules(machine), steps_(std::move(steps)), signature_mask_(signature_mask) {}

void Replay::start_schedule() { next_ = 0; }

bool Replay::begin_schedule() { return !std::exchange(started_, true); }

std::size_t Replay::choose(const std::vector<Option>& options, std::size_t /*stay*/) {
  if (next_ == steps_.size()) {
    return 0;
  }
  const Step& step = steps_[next_++];
  bool can_run = false;
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (options[i].thread != step.thread) {
      continue;
    }
    can_run = true;
    const std::uint32_t found = signature_of(step.thread, operation(step.thread));
    const bool is_same =
        ((found ^ step.signature) & signature_mask_) == 0;  // guard: replay-signature
    if (is_same && options[i].choice == step.choice) {
      skip_ = step.skipped;
      return i;
    }
  }
  give_up(End::kStopped,
          {FailureKind::kReplayMismatch,
           fmt::format("the replay no longer fits at step {} of {}: expected {} by thread {}, {}",
                       next_,
                       steps_.size(),
                       kind_word(kind_in(step.signature)),
                       step.thread,
                       can_run ? fmt::format("found {}", kind_word(operation(step.thread).kind))
                               : "which cannot go on there")});
  return 0;
}

}  // namespace overbite::ordering
