#include "ordering/report/history.h"

#include <algorithm>

#include "ordering/report/words.h"

namespace overbite::ordering {

History::History(const Execution& execution, const Change& change)
    : execution_(&execution),
      node_of_(execution.events.size(), kInitial),
      write_of_(execution.events.size(), kInitial),
      sources_(execution.events.size(), -1),
      missed_(execution.events.size(), -1) {
  for (std::size_t i = 0; i < execution.events.size(); ++i) {
    const Operation& op = execution.events[i].op;
    add(i, change ? change(op) : op);
    find_source(i);
  }
}

void History::add(std::size_t index, const Operation& op) {
  const Event& event = execution_->events[index];
  node_of_[index] = graph_.size();
  if (reads_an_object(op.kind) && op.object != kNoObject) {
    add_access(index, op);
    return;
  }
  const bool joins_nothing = op.kind == OpKind::kJoin && graph_.last(op.other) < 0;
  if (!joins_nothing) {
    graph_.add_other(op, event.thread, event.choice);
  } else {
    node_of_[index] = graph_.last(event.thread);
  }
}

Content History::initial_of(const Event& event) const {
  return event.source < 0 ? event.read : Content{};
}

void History::add_access(std::size_t index, const Operation& op) {
  const Event& event = execution_->events[index];
  const ThreadId thread = event.thread;
  const Content initial = initial_of(event);
  const int seen = graph_.oldest_visible(thread, op.object, Model::kRc11);
  const int writes = static_cast<int>(graph_.writes(op.object).size());
  int place = 0;  // of what it writes
  NodeId source = kInitial;
  if (op.kind == OpKind::kStore) {
    place = std::max(writes - event.skipped, 0);
    consistent_ = consistent_ && place > seen;
  } else {
    const bool known = event.source >= 0 && event.source < static_cast<int>(index);
    source = known ? write_of_[static_cast<std::size_t>(event.source)] : kInitial;
    const int from = graph_.place_of(source, op.object);
    place = from + 1;
    consistent_ = consistent_ && (from >= seen || !is_atomic(op.kind));
    consistent_ =
        graph_.add_read(op, thread, source, event.choice, initial, Model::kRc11) && consistent_;
  }
  if (event.writes) {
    // Nothing comes between a write and the one that read it.
    consistent_ = consistent_ && !(is_atomic(op.kind) && graph_.is_glued(op.object, place));
    write_of_[index] = graph_.size();
    consistent_ =
        graph_.add_write(op, thread, source, event.written, place, initial, Model::kRc11) &&
        consistent_;
  }
}

void History::find_source(std::size_t index) {
  const Event& event = execution_->events[index];
  const auto& events = execution_->events;
  if (!reads_an_object(event.op.kind) || event.op.object == kNoObject) {
    return;
  }
  sources_[index] = event.op.kind == OpKind::kStore ? -1 : event.source;
  if (event.op.kind == OpKind::kReceive && event.succeeded) {
    const std::uint32_t wanted = queue_state(event.read).received;
    std::uint32_t sent = 0;
    for (std::size_t i = 0; i < index; ++i) {
      const bool sends = events[i].op.kind == OpKind::kSend && events[i].succeeded;
      if (sends && events[i].op.object == event.op.object && sent++ == wanted) {
        sources_[index] = static_cast<int>(i);
      }
    }
  }
  if (is_weak(event)) {
    const auto writes = graph_.writes(event.op.object);
    const NodeId own = event.writes ? write_of_[index] : graph_[node_of_[index]].source;
    const auto next = static_cast<std::size_t>(graph_.place_of(own, event.op.object)) + 1;
    for (std::size_t i = 0; next < writes.size() && i < index; ++i) {
      missed_[index] = write_of_[i] == writes[next] ? static_cast<int>(i) : missed_[index];
    }
  }
}

bool History::happens_before(std::size_t event, std::size_t later) const {
  const NodeId a = node_of_[event];
  const NodeId b = node_of_[later];
  return a >= 0 && b >= 0 && graph_[b].happens_before.covers(graph_[a].thread, graph_[a].position);
}

bool History::is_forced_before(std::size_t event, std::size_t later) const {
  const auto& events = execution_->events;
  // What the thread of `later` had seen before it.
  for (std::size_t i = later; i-- > 0;) {
    if (events[i].thread == events[later].thread) {
      const auto& before = graph_[node_of_[i]];
      const auto& first = graph_[node_of_[event]];
      return i >= event && before.sc.covers(first.thread, first.position);
    }
  }
  // It had done nothing: whoever started it had.
  for (std::size_t i = later; i-- > 0;) {
    if (events[i].op.kind == OpKind::kSpawn && events[i].choice == events[later].thread) {
      return event <= i && (events[event].thread == events[i].thread || is_forced_before(event, i));
    }
  }
  return false;
}

bool History::is_race_unordered() const {
  const auto& race = execution_->race;
  if (race.size() != 2) {
    return false;
  }
  const auto& events = execution_->events;
  // The first event behind the earlier access: to know it is to know the access.
  for (std::size_t i = 0; i < events.size(); ++i) {
    const bool behind =
        race[1].atomic ? events[i].op.pc == race[1].pc : events[i].position >= race[1].position;
    if (events[i].thread == race[1].thread && behind) {
      const auto& node = graph_[node_of_[i]];
      return !graph_.clock(race[0].thread).covers(node.thread, node.position);
    }
  }
  return true;
}

std::vector<Event> replayable_events(const std::vector<Event>& events) {
  std::vector<Event> result;
  for (const Event& event : events) {
    const bool reads = reads_an_object(event.op.kind) && event.op.kind != OpKind::kStore;
    if (!reads || !step(event.op, event.thread, event.read, event.choice).would_block) {
      result.push_back(event);
    }
  }
  return result;
}

}  // namespace overbite::ordering
