#include <utility>

#include "ordering/explore/schedules.h"

namespace overbite::ordering {

void BruteForce::start_schedule() { depth_ = 0; }

bool BruteForce::begin_schedule() {
  if (!std::exchange(started_, true)) {
    return true;
  }
  while (!nodes_.empty() && nodes_.back().taken + 1 == nodes_.back().options) {
    nodes_.pop_back();
  }
  if (nodes_.empty()) {
    return false;
  }
  ++nodes_.back().taken;
  return true;
}

// Going on with the same thread comes first: the plainest schedules are seen first.
std::size_t BruteForce::choose(const std::vector<Option>& options, std::size_t stay) {
  const bool must_stay = preemptions_max_ >= 0 && preemptions() >= preemptions_max_ && stay != 0;
  if (depth_ == nodes_.size()) {
    nodes_.push_back({must_stay ? stay : options.size(), 0});
  }
  return nodes_[depth_++].taken;
}

}  // namespace overbite::ordering
