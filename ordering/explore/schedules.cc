#include "ordering/explore/schedules.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "ordering/explore/graph_record.h"

namespace overbite::ordering {

namespace {

bool is_step(const Event& event) {
  switch (event.op.kind) {
    case OpKind::kSpawn:
    case OpKind::kEnd:
    case OpKind::kJoin:
    case OpKind::kFence:
    case OpKind::kTimeout:
      return false;
    default:
      return !event.waits;
  }
}

void mix(std::uint64_t& hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
  hash ^= hash >> 29;
}

}  // namespace

std::vector<Step> steps_of(const std::vector<Event>& events) {
  std::vector<Step> steps;
  for (const Event& event : events) {
    if (is_step(event)) {
      steps.push_back(
          {event.thread, event.choice, event.skipped, signature_of(event.thread, event.op)});
    }
  }
  return steps;
}

std::string deadlock_text(const Machine& machine) {
  std::string blocked;
  for (ThreadId thread = 0; thread < machine.thread_limit(); ++thread) {
    const auto state = machine.state(thread);
    if (state == Machine::State::kAtPoint || state == Machine::State::kWaiting) {
      blocked += fmt::format("{}{} waits for {}",
                             blocked.empty() ? "deadlock: " : "; ",
                             machine.name_of(thread),
                             machine.waits_for(thread));
    }
  }
  return blocked;
}

void Schedules::start() {
  graph_.clear();
  folded_.clear();
  preempting_.clear();
  std::fill(std::begin(threads_), std::end(threads_), ThreadState{});
  granted_ = -1;
  last_ = -1;
  preemptions_ = 0;
  decisions_ = 0;
  given_up_ = false;
  now_ns_ = kClockStartNs;
  end_ = End::kComplete;
  failure_ = {};
  start_schedule();
}

void Schedules::give_up(End end, Failure failure) {
  given_up_ = true;
  end_ = end;
  failure_ = std::move(failure);
}

// Others cannot tell when it happens.
bool Schedules::is_visible(const Operation& op) const {
  return reads_an_object(op.kind) || op.kind == OpKind::kChoose;
}

int Schedules::newest_place(ObjectId object) const {
  return static_cast<int>(graph_.writes(object).size()) - 1;
}

Content Schedules::content_at(ObjectId object, int place) const {
  if (place >= 0) {
    return graph_[graph_.writes(object)[static_cast<std::size_t>(place)]].content;
  }
  return graph_.touched(object) ? graph_.content_of(kInitial, object)
                                : machine_.objects().initial_of(object);
}

bool Schedules::has_changed(ThreadId thread) const {
  const int length = graph_.length(thread);
  for (int i = 0; i < threads_[thread].reads; ++i) {
    const auto& read = graph_[graph_.at(thread, length - i)];
    if (graph_.place_of(read.source, read.op.object) != newest_place(read.op.object)) {
      return true;
    }
  }
  return false;
}

bool Schedules::is_enabled(ThreadId thread) const {
  switch (machine_.state(thread)) {
    case Machine::State::kWaiting:
      return threads_[thread].overtime || has_changed(thread);
    case Machine::State::kAtPoint: {
      const Operation& op = machine_.operation(thread);
      if (op.kind == OpKind::kJoin) {
        return graph_.has_ended(op.other);
      }
      return !is_visible(op) || op.kind == OpKind::kChoose || op.non_blocking ||
             !step(op, thread, content_at(op.object, newest_place(op.object)), 0).would_block;
    }
    default:
      return false;
  }
}

void Schedules::add_options(ThreadId thread) {
  const Operation& op = machine_.operation(thread);
  const Content content =
      op.kind == OpKind::kChoose || machine_.state(thread) == Machine::State::kWaiting
          ? Content{}
          : content_at(op.object, newest_place(op.object));
  const int ways = machine_.state(thread) == Machine::State::kWaiting ? 1 : choices(op, content);
  for (int choice = 0; choice < ways; ++choice) {
    options_.push_back({thread, choice});
  }
}

ThreadId Schedules::next() {
  if (given_up_) {
    return -1;
  }
  // Up to its first point a new thread does nothing that others can see.
  const ThreadId limit = machine_.thread_limit();
  for (ThreadId thread = 0; thread < limit; ++thread) {
    const auto state = machine_.state(thread);
    const bool unseen = state == Machine::State::kNew ||
                        (state == Machine::State::kAtPoint &&
                         !is_visible(machine_.operation(thread)) && is_enabled(thread)) ||
                        (state == Machine::State::kWaiting && is_enabled(thread));
    if (unseen) {
      return thread;
    }
  }
  options_.clear();
  std::size_t stay = 0;
  if (last_ >= 0 && is_enabled(last_)) {
    add_options(last_);
    stay = options_.size();
  }
  for (ThreadId thread = 0; thread < limit; ++thread) {
    if (thread != last_ && is_enabled(thread)) {
      add_options(thread);
    }
  }
  if (options_.empty()) {
    return time_out();
  }
  skip_ = 0;
  const std::size_t chosen = choose(options_, stay);
  if (given_up_) {
    return -1;
  }
  ++decisions_;
  granted_ = options_[chosen].thread;
  granted_choice_ = options_[chosen].choice;
  switched_ = stay != 0 && granted_ != last_;
  preemptions_ += switched_ ? 1 : 0;
  last_ = granted_;
  return granted_;
}

ThreadId Schedules::time_out() {
  ThreadId first = -1;
  std::int64_t earliest = std::numeric_limits<std::int64_t>::max();
  for (ThreadId thread = 0; thread < machine_.thread_limit(); ++thread) {
    const auto state = machine_.state(thread);
    const std::int64_t deadline =
        state == Machine::State::kWaiting ? machine_.deadline_ns(thread)
        : state == Machine::State::kAtPoint && machine_.operation(thread).kind != OpKind::kJoin
            ? machine_.operation(thread).deadline_ns
            : -1;
    if (deadline >= 0 && deadline < earliest) {
      first = thread;
      earliest = deadline;
    }
  }
  if (first >= 0) {
    now_ns_ = std::max(now_ns_, earliest);
    threads_[first].timed_out = true;
    for (ThreadId thread = 0; thread < machine_.thread_limit(); ++thread) {
      threads_[thread].overtime =
          thread != first && machine_.state(thread) == Machine::State::kWaiting;
    }
    last_ = first;
    return first;
  }
  if (machine_.assumed()) {
    end_ = End::kAssumed;
    return -1;
  }
  const std::string text = deadlock_text(machine_);
  if (text.empty()) {
    ended();
  } else {
    end_ = End::kFailed;
    failure_ = {FailureKind::kDeadlock, text};
  }
  return -1;
}

bool Schedules::arrive(ThreadId thread, const Operation& op, Result& result) {
  if (given_up_) {
    return false;
  }
  if (std::exchange(threads_[thread].timed_out, false)) {
    Operation timeout;
    timeout.kind = OpKind::kTimeout;
    timeout.deadline_ns = op.deadline_ns;
    graph_.add_other(timeout, thread, 0);
    result.timed_out = true;
    result.succeeded = false;
    return true;
  }
  if (!is_visible(op)) {
    if (op.kind == OpKind::kJoin && !graph_.has_ended(op.other)) {
      return false;
    }
    perform(thread, op, 0, result);
    return true;
  }
  if (granted_ != thread) {
    return false;
  }
  granted_ = -1;
  perform(thread, op, granted_choice_, result);
  return true;
}

void Schedules::perform(ThreadId thread, const Operation& op, int choice, Result& result) {
  const NodeId id = graph_.size();
  if (op.kind == OpKind::kSpawn) {
    choice = machine_.first_free_thread(kThreadsMax);
  }
  if (!is_visible(op) || op.kind == OpKind::kChoose) {
    graph_.add_other(op, thread, choice);
    if (op.kind == OpKind::kSpawn && choice < kThreadsMax) {
      start_clocks_[choice] = graph_[id].happens_before;
      start_clocks_[choice].set(thread, graph_[id].position);
    }
    result.choice = choice;
    return;
  }
  const Content initial = content_at(op.object, -1);
  int place = newest_place(op.object) - (op.kind == OpKind::kStore ? 0 : skip_);
  if (op.kind == OpKind::kStore) {
    graph_.add_write(op, thread, kInitial, op.operand, place + 1 - skip_, initial, Model::kRc11);
    result.newest = skip_ == 0;
  } else {
    if (op.kind == OpKind::kWake) {
      while (place > 0 && step(op, thread, content_at(op.object, place - 1), 0).succeeded) {
        --place;
      }
    }
    const NodeId source =
        place < 0 ? kInitial : graph_.writes(op.object)[static_cast<std::size_t>(place)];
    graph_.add_read(op, thread, source, choice, initial, Model::kRc11);
    const Effect effect = step(op, thread, graph_[id].content, choice);
    if (effect.writes) {
      graph_.add_write(op, thread, source, effect.after, place + 1, initial, Model::kRc11);
      result.newest = place + 1 == newest_place(op.object);
    }
  }
  result.read = graph_[id].content;
  result.succeeded = graph_[id].succeeded;
  result.choice = choice;
  preempting_.resize(static_cast<std::size_t>(graph_.size()), false);
  preempting_[static_cast<std::size_t>(id)] = switched_;
}

bool Schedules::wait(ThreadId thread, int reads, std::int64_t deadline_ns, bool& timed_out) {
  if (given_up_) {
    return false;
  }
  ThreadState& state = threads_[thread];
  state.reads = reads;
  if (std::exchange(state.timed_out, false)) {
    Operation timeout;
    timeout.kind = OpKind::kTimeout;
    timeout.deadline_ns = deadline_ns;
    graph_.add_other(timeout, thread, 0);
    timed_out = true;
    return false;
  }
  if (!std::exchange(state.overtime, false) && !has_changed(thread)) {
    return false;
  }
  folded_.resize(static_cast<std::size_t>(graph_.size()), false);
  for (int i = 0; i < reads; ++i) {
    folded_[static_cast<std::size_t>(graph_.at(thread, graph_.length(thread) - i))] = true;
  }
  return true;
}

const std::int16_t* Schedules::clock(ThreadId thread) {
  const NodeId last = graph_.last(thread);
  return last < 0 ? start_clocks_[thread].at.data() : graph_[last].happens_before.at.data();
}

Director::AtomicRace Schedules::find_atomic_race(ThreadId thread, ObjectId object, bool write) {
  const NodeId id = graph_.find_race(thread, done(thread), object, write);
  return id == kInitial ? AtomicRace{}
                        : AtomicRace{true, graph_[id].write, graph_[id].thread, graph_[id].op.pc};
}

void Schedules::record(Execution& execution) const {
  // The nodes are in the order in which they happened.
  record_nodes(graph_, execution);
  std::size_t event = 0;
  for (NodeId id = 0; id < graph_.size(); ++id) {
    const auto& node = graph_[id];
    if (node.write && node.read) {
      continue;
    }
    if (static_cast<std::size_t>(id) < preempting_.size()) {
      execution.events[event].preempts = preempting_[static_cast<std::size_t>(id)];
    }
    ++event;
  }
}

std::uint64_t Schedules::signature() const {
  // A node is named by its thread and its place there, the folded ones left out.
  std::vector<std::uint64_t> names(static_cast<std::size_t>(graph_.size()), 0);
  std::uint64_t hash = 1;
  for (ThreadId thread = 0; thread < kThreadsMax; ++thread) {
    std::uint64_t place = 0;
    for (int i = 1; i <= graph_.length(thread); ++i) {
      const auto id = static_cast<std::size_t>(graph_.at(thread, i));
      if (id < folded_.size() && folded_[id]) {
        continue;
      }
      names[id] = (static_cast<std::uint64_t>(thread) << 32) + ++place;
    }
  }
  for (ThreadId thread = 0; thread < kThreadsMax; ++thread) {
    for (int i = 1; i <= graph_.length(thread); ++i) {
      const NodeId id = graph_.at(thread, i);
      const auto& node = graph_[id];
      if (names[static_cast<std::size_t>(id)] == 0) {
        continue;
      }
      mix(hash, names[static_cast<std::size_t>(id)]);
      mix(hash, static_cast<std::uint64_t>(node.choice));
      if (node.read && !node.write) {
        mix(hash, node.source == kInitial ? 0 : names[static_cast<std::size_t>(node.source)]);
      }
    }
  }
  for (ObjectId object = 0; object < machine_.objects().size(); ++object) {
    if (graph_.writes(object).empty()) {
      continue;  // perhaps another execution's: the number of objects grows
    }
    mix(hash, object);
    for (const NodeId write : graph_.writes(object)) {
      mix(hash, names[static_cast<std::size_t>(write)]);
    }
  }
  return hash;
}

}  // namespace overbite::ordering
