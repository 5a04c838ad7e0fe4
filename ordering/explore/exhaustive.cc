#include "ordering/explore/exhaustive.h"

#include <fmt/format.h>

#include <bit>
#include <utility>

namespace overbite::ordering {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// Whether a thread can be waiting in it, so that an earlier moment at which it could have run may
// lie behind one at which it could not.
bool may_block(OpKind kind) {
  return kind == OpKind::kPoll || kind == OpKind::kReceive || kind == OpKind::kEventRead ||
         kind == OpKind::kSend || kind == OpKind::kWake;
}

}  // namespace

bool Exhaustive::begin() {
  depth_ = 0;
  if (!std::exchange(started_, true)) {
    return true;
  }
  while (!nodes_.empty()) {
    Node& node = nodes_.back();
    if (node.variant + 1 < node.variants) {
      ++node.variant;
      break;
    }
    node.done |= mask_of(node.thread);
    const ThreadMask todo = node.backtrack & node.enabled & ~node.done & ~node.sleep;
    if (todo != 0) {
      node.thread = std::countr_zero(todo);
      node.variant = 0;
      node.variants = 0;  // known again when the execution gets there
      break;
    }
    nodes_.pop_back();
  }
  if (nodes_.empty()) {
    return false;
  }
  replayed_ = nodes_.size();
  order_.truncate(nodes_.back().events);
  return true;
}

void Exhaustive::push_node(const StepView& view) {
  Node node;
  node.enabled = view.enabled();
  node.events = view.events().size();
  node.sleep = nodes_.empty() ? 0 : nodes_.back().sleep_below;
  nodes_.push_back(node);
}

void Exhaustive::fall_asleep(const StepView& view, Node& node) const {
  const Footprint taken = view.footprint(node.thread);
  node.sleep_below = 0;
  for (ThreadId thread = 0; thread < kThreadsMax; ++thread) {
    const bool candidate = ((node.sleep | node.done) & mask_of(thread)) != 0;
    if (candidate && thread != node.thread && !dependent(view.footprint(thread), taken)) {
      node.sleep_below |= mask_of(thread);
    }
  }
}

Choice Exhaustive::choose(const StepView& view) {
  absorb(view);
  if (depth_ == nodes_.size()) {
    push_node(view);
    Node& node = nodes_.back();
    const ThreadMask awake = node.enabled & ~node.sleep;
    if (awake == 0) {
      nodes_.pop_back();
      return {Choice::Kind::kCut, 0, 0, {}};
    }
    const ThreadId last = view.last_thread();
    const bool stay = last >= 0 && (awake & mask_of(last)) != 0;
    node.thread = stay ? last : std::countr_zero(awake);
    // Of several time-outs that are due each can be the first: what one does next may end the wait
    // of another, and then there is no second time-out to race with.
    const bool time_out = view.footprint(node.thread).everything;
    node.backtrack = time_out ? awake : mask_of(node.thread);
    node.variants = 0;
  }
  Node& node = nodes_[depth_++];
  if (node.enabled != view.enabled()) {
    return {Choice::Kind::kStop,
            0,
            0,
            {FailureKind::kNotDeterministic,
             fmt::format("the scenario is not deterministic: step {} differs from the same step "
                         "before",
                         depth_)}};
  }
  const std::uint32_t signature = signature_of(node.thread, view.next(node.thread));
  if (node.variants == 0) {
    node.variants = view.variants(node.thread);
    node.signature = signature;
  }
  if (node.signature != signature) {
    return {Choice::Kind::kStop,
            0,
            0,
            {FailureKind::kNotDeterministic,
             fmt::format("the scenario is not deterministic: at step {} {} does another operation "
                         "than before",
                         depth_,
                         view.describe_next(node.thread))}};
  }
  if (depth_ >= replayed_) {
    fall_asleep(view, node);
  }
  return {Choice::Kind::kRun, node.thread, node.variant, {}};
}

// Takes in what was done since the last call and notes which orders have to be tried as well.
void Exhaustive::absorb(const StepView& view) {
  const std::size_t before = order_.size();
  races_.clear();
  order_.extend(view.events(), &races_);
  for (const TraceOrder::Race& race : races_) {
    reverse(view, race);
  }
  for (std::size_t i = before; i < order_.size(); ++i) {
    const Event& event = view.events()[i];
    if (event.node >= 0 && may_block(event.op.kind)) {
      reverse_to_enabled(view, event.thread, static_cast<int>(i), event.footprint);
    }
  }
}

void Exhaustive::ended(const StepView& view, End end) {
  absorb(view);
  if (end == End::kStopped || end == End::kStepCap) {
    return;
  }
  // What a blocked thread waits for may be gone because somebody was first. Also where the
  // execution is cut: the equivalent one shows this race at other nodes, and here only this one
  // can.
  const ThreadMask blocked = view.pending() & ~view.enabled();
  for (ThreadId thread = 0; thread < kThreadsMax; ++thread) {
    if ((blocked & mask_of(thread)) == 0) {
      continue;
    }
    const Footprint footprint = view.footprint(thread);
    races_.clear();
    order_.race_pending(view.events(), thread, footprint, races_);
    for (const TraceOrder::Race& race : races_) {
      const VectorClock clock = order_.clock_of_pending(view.events(), thread, footprint);
      require_one_of(nodes_[at(view.events()[at(race.first)].node)],
                     initials(view, race.first, -1, thread, clock),
                     thread);
    }
    reverse_to_enabled(view, thread, -1, footprint);
  }
}

void Exhaustive::reverse(const StepView& view, const TraceOrder::Race& race) {
  const Event& second = view.events()[at(race.second)];
  require_one_of(nodes_[at(view.events()[at(race.first)].node)],
                 initials(view, race.first, race.second, second.thread, order_.clock(race.second)),
                 second.thread);
}

// Flanagan and Godefroid's condition for an operation that can be blocked: the last moment at which
// it could have run instead of a dependent one, even if other dependent ones lie in between.
void Exhaustive::reverse_to_enabled(const StepView& view,
                                    ThreadId thread,
                                    int second,
                                    const Footprint& footprint) {
  const auto& events = view.events();
  const int end = second >= 0 ? second : static_cast<int>(events.size());
  for (int i = end - 1; i >= 0; --i) {
    const Event& earlier = events[at(i)];
    if (earlier.thread == thread) {
      return;  // before that, it was not its next operation
    }
    if (earlier.node < 0 || !conflict(earlier.footprint, footprint)) {
      continue;
    }
    Node& node = nodes_[at(earlier.node)];
    if ((node.enabled & mask_of(thread)) != 0) {
      const VectorClock clock =
          second >= 0 ? order_.clock(second) : order_.clock_of_pending(events, thread, footprint);
      require_one_of(node, initials(view, i, second, thread, clock) | mask_of(thread), thread);
      return;
    }
  }
}

// Who could go first in what happens after `first` independently of it, followed by the operation
// of `thread` that is to come before it.
ThreadMask Exhaustive::initials(
    const StepView& view, int first, int second, ThreadId thread, const VectorClock& clock) const {
  const auto& events = view.events();
  const int end = second >= 0 ? second : static_cast<int>(events.size());
  ThreadMask result = 0;
  ThreadMask seen = 0;
  std::vector<int> sequence;
  for (int i = first + 1; i < end; ++i) {
    if (order_.before(first, i)) {
      continue;
    }
    const ThreadId other = events[at(i)].thread;
    if ((seen & mask_of(other)) == 0) {
      seen |= mask_of(other);
      bool free = true;
      for (const int earlier : sequence) {
        free = free && !order_.before(earlier, i);
      }
      result |= free ? mask_of(other) : 0;
    }
    sequence.push_back(i);
  }
  if ((seen & mask_of(thread)) == 0) {
    bool free = true;
    for (const int earlier : sequence) {
      free = free && !order_.ordered(earlier, clock);
    }
    result |= free ? mask_of(thread) : 0;
  }
  return result;
}

void Exhaustive::require_one_of(Node& node, ThreadMask initials, ThreadId preferred) {
  if ((initials & (node.backtrack | node.sleep)) != 0) {
    return;
  }
  const ThreadMask possible = initials & node.enabled;
  if (possible == 0) {
    return;  // the other order does not exist
  }
  node.backtrack |= (possible & mask_of(preferred)) != 0 ? mask_of(preferred)
                                                         : mask_of(std::countr_zero(possible));
}

}  // namespace overbite::ordering
