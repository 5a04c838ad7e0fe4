#include "ordering/explore/brute_force.h"

#include <algorithm>
#include <utility>

namespace overbite::ordering {

bool BruteForce::begin() {
  depth_ = 0;
  preemptions_ = 0;
  if (!std::exchange(started_, true)) {
    return true;
  }
  while (!nodes_.empty() && nodes_.back().taken + 1 == nodes_.back().options.size()) {
    nodes_.pop_back();
  }
  if (nodes_.empty()) {
    return false;
  }
  ++nodes_.back().taken;
  return true;
}

BruteForce::Node BruteForce::make_node(const StepView& view) const {
  Node node;
  const ThreadId last = view.last_thread();
  const bool can_stay = last >= 0 && (view.enabled() & mask_of(last)) != 0;
  const bool must_stay = can_stay && preemptions_max_ >= 0 && preemptions_ >= preemptions_max_;
  for (ThreadId thread = 0; thread < kThreadsMax; ++thread) {
    if ((view.enabled() & mask_of(thread)) == 0 || (must_stay && thread != last)) {
      continue;
    }
    for (int variant = 0; variant < view.variants(thread); ++variant) {
      node.options.push_back({thread, variant});
    }
  }
  // Going on with the same thread comes first: the plainest schedules are seen first.
  const auto is_last = [last](const Option& option) { return option.thread == last; };
  const auto first = std::find_if(node.options.begin(), node.options.end(), is_last);
  const auto behind = std::find_if_not(first, node.options.end(), is_last);
  std::rotate(node.options.begin(), first, behind);
  return node;
}

Choice BruteForce::choose(const StepView& view) {
  if (depth_ == nodes_.size()) {
    nodes_.push_back(make_node(view));
  }
  const Node& node = nodes_[depth_++];
  const Option option = node.options[node.taken];
  const ThreadId last = view.last_thread();
  if (last >= 0 && last != option.thread && (view.enabled() & mask_of(last)) != 0) {
    ++preemptions_;
  }
  return {Choice::Kind::kRun, option.thread, option.variant, {}};
}

void BruteForce::ended(const StepView& view, End end) {
  if (end == End::kComplete) {
    order_.truncate(0);
    order_.extend(view.events(), nullptr);
    distinct_.insert(order_.signature(view.events()));
  }
}

}  // namespace overbite::ordering
