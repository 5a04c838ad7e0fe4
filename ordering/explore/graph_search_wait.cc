// The search within an execution: threads that wait, and who goes on.
#include <limits>
#include <utility>

#include "ordering/explore/graph_search.h"

namespace overbite::ordering {

template <int Lanes>
bool GraphSearch<Lanes>::wait(ThreadId thread,
                              int reads,
                              std::int64_t deadline_ns,
                              bool& timed_out) {
  if (dead_) {
    return false;
  }
  GraphT& graph = this->graph();
  if (done(thread) < graph.length(thread)) {
    const Node& node = graph[graph.at(thread, done(thread) + 1)];
    if (node.op.kind == OpKind::kTimeout) {
      if (done_.covers(node.causes)) {
        consume(thread, 1);
        timed_out = true;
      }
      return false;
    }
    if (node.looked) {
      if (!done_.covers(node.causes)) {
        return false;
      }
      consume(thread, 1);
      return wait(thread, reads, deadline_ns, timed_out);
    }
    failure_ = {FailureKind::kNotDeterministic,
                "not deterministic: the same choices led to a wait"};
    end_ = End::kStopped;
    dead_ = true;
    return false;
  }
  if (is_waiting(thread)) {
    return false;
  }
  Parked& parked = parked_[static_cast<std::size_t>(thread)];
  if (parked.reads > 0) {
    if (!parked.looks_again) {
      return false;
    }
    parked.reads = 0;
    parked.looks_again = false;
    return true;
  }
  if (replayed_ < graph.size()) {
    return false;
  }
  if (looker_ >= 0) {
    dead_ = true;  // it looked, and all it could see otherwise was put aside
    return false;
  }
  turn_ = -1;
  if (std::exchange(parked.times_out, false)) {
    time_out(thread, deadline_ns);
    consume(thread, 1);
    timed_out = true;
    return false;
  }
  park(thread, reads);
  return false;
}

// Those were its last `reads` nodes.
template <int Lanes>
void GraphSearch<Lanes>::park(ThreadId thread, int reads) {
  GraphT& graph = this->graph();
  Parked& parked = parked_[static_cast<std::size_t>(thread)];
  bool is_first_look = graph.size() - reads >= frame().floor;
  bool can_change = false;
  for (int i = 0; i < reads; ++i) {
    const NodeId id = graph.at(thread, graph.length(thread) - i);
    const Node& read = graph[id];
    const NodeId newest = graph.newest(read.op.object);
    is_first_look = is_first_look && id == graph.size() - 1 - i;
    const bool is_newest = read.source == newest;
    is_first_look = is_first_look && is_newest;
    can_change = can_change || is_newest ||
                 (read.source != kInitial && graph[read.source].stamp > read.stamp);
  }
  if (!can_change) {
    dead_ = true;  // it waits for changes that were there already
    return;
  }
  if (is_first_look && reads <= static_cast<int>(parked.seen.size())) {
    // As if it had not looked yet.
    for (int i = 0; i < reads; ++i) {
      const Node& read = graph[graph.size() - 1 - i];
      parked.seen[static_cast<std::size_t>(i)] = {read.op.object, read.source};
    }
    parked.reads = reads;
    forget_last(thread, reads);
    return;
  }
  graph.wait_on(graph.last(thread), reads);
}

template <int Lanes>
void GraphSearch<Lanes>::forget_last(ThreadId thread, int nodes) {
  const int size = graph().size() - nodes;
  auto& options = frame().options;
  while (!options.empty() && options.back().size >= size) {
    if (options.back().kind == Option::Kind::kRead && --frame().reads.back().options == 0) {
      frame().reads.pop_back();
    }
    options.pop_back();
  }
  graph().cut(size);
  consume(thread, -nodes);
}

template <int Lanes>
bool GraphSearch<Lanes>::is_waiting(ThreadId thread) const {
  const NodeId last = graph().last(thread);
  return last >= 0 && (graph()[last].waits_on != 0 || (Revisits<Lanes>::is_loser(graph()[last]) &&
                                                       frame().revisits.is_frozen(graph()[last])));
}

template <int Lanes>
bool GraphSearch<Lanes>::can_run(ThreadId thread) const {
  switch (machine_.state(thread)) {
    case Machine::State::kNew:
      return true;
    case Machine::State::kAtPoint:
      return !is_waiting(thread) && !would_block_now(thread, machine_.operation(thread));
    case Machine::State::kWaiting:
      return !is_waiting(thread) && has_changed(parked_[static_cast<std::size_t>(thread)]);
    default:
      return false;
  }
}

template <int Lanes>
bool GraphSearch<Lanes>::has_changed(const Parked& parked) const {
  if (parked.reads == 0) {
    return true;  // it has not come to wait yet
  }
  for (int i = 0; i < parked.reads; ++i) {
    const auto& [object, source] = parked.seen[static_cast<std::size_t>(i)];
    if (source != graph().newest(object)) {
      return true;
    }
  }
  return false;
}

// A function of the graph alone. Who lost takes what is free again before anybody does anything
// else, and who has what it waits for goes on first.
template <int Lanes>
ThreadId GraphSearch<Lanes>::pick() const {
  const GraphT& graph = this->graph();
  const ThreadId limit = machine_.thread_limit();
  ThreadId first = -1;
  for (ThreadId thread = 0; graph.losers() != 0 && thread < limit; ++thread) {
    const NodeId last = graph.last(thread);
    if (last < 0 || !Revisits<Lanes>::is_loser(graph[last]) ||
        frame().revisits.is_frozen(graph[last])) {
      continue;
    }
    if (can_run(thread)) {
      return thread;
    }
    const NodeId newest = graph.newest(graph[last].op.object);
    const ThreadId holder = newest == kInitial ? -1 : graph[newest].thread;
    if (first < 0 && holder >= 0 && can_run(holder)) {
      first = holder;
    }
  }
  for (ThreadId thread = 0; first < 0 && thread < limit; ++thread) {
    if (can_run(thread)) {
      first = thread;
    }
  }
  return first;
}

// Whether some thread lost and has not come again.
template <int Lanes>
bool GraphSearch<Lanes>::has_losers() const {
  if (graph().losers() == 0) {
    return false;
  }
  for (ThreadId thread = 0; thread < machine_.thread_limit(); ++thread) {
    const NodeId last = graph().last(thread);
    if (last >= 0 && Revisits<Lanes>::is_loser(graph()[last])) {
      return true;
    }
  }
  return false;
}

template <int Lanes>
ThreadId GraphSearch<Lanes>::next() {
  if (dead_ || too_many_threads_) {
    end_ = end_ == End::kComplete ? End::kCut : end_;
    return -1;
  }
  const GraphT& graph = this->graph();
  if (replayed_ < graph.size()) {
    for (ThreadId thread = 0; thread < machine_.thread_limit(); ++thread) {
      const int position = done(thread) + 1;
      const auto state = machine_.state(thread);
      const bool alive = state == Machine::State::kNew || state == Machine::State::kAtPoint ||
                         state == Machine::State::kWaiting;
      if (alive && position <= graph.length(thread) &&
          done_.covers(graph[graph.at(thread, position)].causes)) {
        return thread;
      }
    }
    failure_ = {FailureKind::kNotDeterministic,
                "not deterministic: a thread did not come to where it was before"};
    end_ = End::kStopped;
    return -1;
  }
  turn_ = looker_ >= 0 ? looker_ : pick();
  if (turn_ < 0) {
    turn_ = stuck();
  }
  if (turn_ >= 0 && machine_.state(turn_) == Machine::State::kWaiting) {
    parked_[static_cast<std::size_t>(turn_)].looks_again = true;
  }
  return turn_;
}

// Nobody can go on: time passes, or it is over.
template <int Lanes>
ThreadId GraphSearch<Lanes>::stuck() {
  ThreadId first = -1;
  std::int64_t earliest = std::numeric_limits<std::int64_t>::max();
  for (ThreadId thread = 0; thread < machine_.thread_limit(); ++thread) {
    const auto state = machine_.state(thread);
    const std::int64_t deadline = state == Machine::State::kWaiting ? machine_.deadline_ns(thread)
                                  : state == Machine::State::kAtPoint
                                      ? machine_.operation(thread).deadline_ns
                                      : -1;
    if (deadline >= 0 && deadline < earliest) {
      first = thread;
      earliest = deadline;
    }
  }
  if (is_anyone_behind()) {  // guard: anyone-behind
    put_waiters_aside(-1);
    end_ = End::kCut;
    return -1;
  }
  const bool looks_first =
      first >= 0 && machine_.state(first) == Machine::State::kWaiting && !is_waiting(first);
  put_waiters_aside(looks_first ? first : -1);  // guard: waiters-aside
  if (looks_first) {
    parked_[static_cast<std::size_t>(first)].times_out = true;
    return first;
  }
  if (first >= 0) {
    time_out(first, earliest);
    return first;
  }
  if (machine_.assumed()) {
    end_ = End::kAssumed;
    return -1;
  }
  const std::string text = deadlock_text(machine_);
  if (!text.empty()) {  // guard: deadlock-text
    end_ = End::kFailed;
    failure_ = {FailureKind::kDeadlock, text};
  }
  return -1;
}

template <int Lanes>
void GraphSearch<Lanes>::time_out(ThreadId first, std::int64_t deadline_ns) {
  Operation op;
  op.kind = OpKind::kTimeout;
  op.deadline_ns = deadline_ns;
  graph().add_other(op, first, 0);
}

// What those who wait could have done earlier, while others had not yet done what they wait behind.
template <int Lanes>
void GraphSearch<Lanes>::put_waiters_aside(ThreadId without) {
  for (ThreadId thread = 0; thread < machine_.thread_limit(); ++thread) {
    if (thread == without) {
      continue;
    }
    const auto state = machine_.state(thread);
    if (is_waiting(thread)) {
      continue;
    }
    // Whoever comes next in this loop does so after this one looked in vain.
    if (state == Machine::State::kAtPoint && reads_an_object(machine_.operation(thread).kind)) {
      const Operation& op = machine_.operation(thread);
      put_aside(thread, op, candidates(thread, op), 0);
      add_look(thread, op);
    } else if (state == Machine::State::kWaiting) {
      if (had_a_choice(thread)) {
        frame().options.push_back({Option::Kind::kLook, graph().size(), thread});
      }
      Operation op;
      op.kind = OpKind::kPoll;
      const Parked& parked = parked_[static_cast<std::size_t>(thread)];
      for (int i = 0; i < parked.reads; ++i) {
        op.object = parked.seen[static_cast<std::size_t>(i)].first;
        add_look(thread, op);
      }
    }
  }
}

template <int Lanes>
void GraphSearch<Lanes>::add_look(ThreadId thread, const Operation& op) {
  const NodeId newest = graph().newest(op.object);
  if (newest != kInitial) {
    graph().add_look(op, thread, newest);
    consume(thread, 1);
  }
}

// Whether a thread that waits could have seen something older.
template <int Lanes>
bool GraphSearch<Lanes>::had_a_choice(ThreadId thread) const {
  const Parked& parked = parked_[static_cast<std::size_t>(thread)];
  for (int i = 0; i < parked.reads; ++i) {
    const ObjectId object = parked.seen[static_cast<std::size_t>(i)].first;
    const int newest = static_cast<int>(graph().writes(object).size()) - 1;
    if (graph().oldest_visible(thread, object, model_) < newest) {
      return true;
    }
  }
  return false;
}

// Somebody waits although what it waits for a change of has changed: this graph was only kept for
// what could be made of it.
template <int Lanes>
bool GraphSearch<Lanes>::is_anyone_behind() const {
  const GraphT& graph = this->graph();
  for (ThreadId thread = 0; thread < machine_.thread_limit(); ++thread) {
    if (!is_waiting(thread)) {
      continue;
    }
    if (Revisits<Lanes>::is_loser(graph[graph.last(thread)])) {
      return true;
    }
    for (int i = 0; i < graph[graph.last(thread)].waits_on; ++i) {
      const Node& read = graph[graph.at(thread, graph.length(thread) - i)];
      if (read.source != graph.newest(read.op.object)) {
        return true;
      }
    }
  }
  return false;
}

template bool GraphSearch<8>::wait(ThreadId thread,
                                   int reads,
                                   std::int64_t deadline_ns,
                                   bool& timed_out);
template bool GraphSearch<kThreadsMax>::wait(ThreadId thread,
                                             int reads,
                                             std::int64_t deadline_ns,
                                             bool& timed_out);
template void GraphSearch<8>::park(ThreadId thread, int reads);
template void GraphSearch<kThreadsMax>::park(ThreadId thread, int reads);
template void GraphSearch<8>::forget_last(ThreadId thread, int nodes);
template void GraphSearch<kThreadsMax>::forget_last(ThreadId thread, int nodes);
template bool GraphSearch<8>::is_waiting(ThreadId thread) const;
template bool GraphSearch<kThreadsMax>::is_waiting(ThreadId thread) const;
template bool GraphSearch<8>::can_run(ThreadId thread) const;
template bool GraphSearch<kThreadsMax>::can_run(ThreadId thread) const;
template bool GraphSearch<8>::has_changed(const GraphSearch<8>::Parked& parked) const;
template bool GraphSearch<kThreadsMax>::has_changed(
    const GraphSearch<kThreadsMax>::Parked& parked) const;
template ThreadId GraphSearch<8>::pick() const;
template ThreadId GraphSearch<kThreadsMax>::pick() const;
template bool GraphSearch<8>::has_losers() const;
template bool GraphSearch<kThreadsMax>::has_losers() const;
template ThreadId GraphSearch<8>::next();
template ThreadId GraphSearch<kThreadsMax>::next();
template ThreadId GraphSearch<8>::stuck();
template ThreadId GraphSearch<kThreadsMax>::stuck();
template void GraphSearch<8>::time_out(ThreadId first, std::int64_t deadline_ns);
template void GraphSearch<kThreadsMax>::time_out(ThreadId first, std::int64_t deadline_ns);
template void GraphSearch<8>::put_waiters_aside(ThreadId without);
template void GraphSearch<kThreadsMax>::put_waiters_aside(ThreadId without);
template void GraphSearch<8>::add_look(ThreadId thread, const Operation& op);
template void GraphSearch<kThreadsMax>::add_look(ThreadId thread, const Operation& op);
template bool GraphSearch<8>::had_a_choice(ThreadId thread) const;
template bool GraphSearch<kThreadsMax>::had_a_choice(ThreadId thread) const;
template bool GraphSearch<8>::is_anyone_behind() const;
template bool GraphSearch<kThreadsMax>::is_anyone_behind() const;

}  // namespace overbite::ordering
