// The search within an execution: the graph is replayed, then extended.
#include <algorithm>

#include "ordering/explore/graph_record.h"
#include "ordering/explore/graph_search.h"

namespace overbite::ordering {

namespace {

bool is_same(const Operation& a, const Operation& b) {
  return a.kind == b.kind && a.object == b.object && a.size == b.size;
}

}  // namespace

template <int Lanes>
bool GraphSearch<Lanes>::arrive(ThreadId thread, const Operation& op, Result& result) {
  if (dead_) {
    return false;
  }
  if (done(thread) < graph().length(thread)) {
    return replay(thread, op, result);
  }
  if (replayed_ < graph().size()) {
    return false;
  }
  if (turn_ < 0) {
    turn_ = looker_ >= 0 ? looker_ : pick();
  }
  if (turn_ != thread || is_waiting(thread)) {
    return false;
  }
  if (would_block_now(thread, op)) {
    turn_ = -1;
    return false;
  }
  return extend(thread, op, result);
}

template <int Lanes>
bool GraphSearch<Lanes>::repeat(ThreadId thread, OpKind kind, const void* address, Result& result) {
  const GraphT& graph = this->graph();
  const int position = done(thread) + 1;
  if (position > graph.length(thread) || dead_) {
    return false;
  }
  const NodeId id = graph.at(thread, position);
  const Node& node = graph[id];
  if (node.op.kind != kind || node.op.address != address || node.would_block || node.looked ||
      !done_.covers(node.causes)) {
    return false;
  }
  take(id, node, result);
  return true;
}

// The thread goes on behind this node, and the one that belongs to it.
template <int Lanes>
void GraphSearch<Lanes>::take(NodeId id, const Node& node, Result& result) {
  const GraphT& graph = this->graph();
  result = result_of(node);
  if (node.read && node.position < graph.length(node.thread)) {
    const NodeId next = graph.at(node.thread, node.position + 1);
    const Node& after = graph[next];
    if (after.write && after.read) {
      consume(node.thread, 2);
      note_newest(next, result);
      return;
    }
  }
  consume(node.thread, 1);
  if (node.write) {
    note_newest(id, result);
  }
}

// With the newest content there is.
template <int Lanes>
bool GraphSearch<Lanes>::would_block_now(ThreadId thread, const Operation& op) const {
  if (op.kind == OpKind::kJoin) {
    return !graph().has_ended(op.other);
  }
  if (op.non_blocking || !reads_an_object(op.kind)) {
    return false;
  }
  const NodeId newest = graph().newest(op.object);
  const Content content = newest == kInitial ? initial(op.object) : graph()[newest].content;
  return step(op, thread, content, 0).would_block;
}

template <int Lanes>
void GraphSearch<Lanes>::consume(ThreadId thread, int nodes) {
  const auto lane = static_cast<std::size_t>(thread);
  done_.at[lane] = static_cast<std::int16_t>(done_.at[lane] + nodes);
  replayed_ += nodes;
}

template <int Lanes>
Result GraphSearch<Lanes>::result_of(const Node& node) {
  Result result;
  result.read = node.content;
  result.succeeded = node.succeeded;
  result.choice = node.choice;
  return result;
}

template <int Lanes>
bool GraphSearch<Lanes>::replay(ThreadId thread, const Operation& op, Result& result) {
  const GraphT& graph = this->graph();
  const int position = done(thread) + 1;
  const NodeId id = graph.at(thread, position);
  const Node& node = graph[id];
  if (!done_.covers(node.causes)) {
    return false;
  }
  if (node.op.kind == OpKind::kTimeout) {
    consume(thread, 1);
    result.timed_out = true;
    result.succeeded = false;
    return true;
  }
  if (node.looked) {
    consume(thread, 1);
    return arrive(thread, op, result);
  }
  if (!is_same(node.op, op)) {
    failure_ = {FailureKind::kNotDeterministic,
                "not deterministic: the same choices led to another operation"};
    end_ = End::kStopped;
    dead_ = true;
    return false;
  }
  if (op.kind == OpKind::kSpawn) {
    const auto child = static_cast<std::size_t>(node.choice);
    start_clocks_[child] = node.happens_before;
    start_clocks_[child].set(thread, node.position);
  }
  if (node.would_block) {
    consume(thread, 1);
    return arrive(thread, op, result);  // it lost to another; again
  }
  take(id, node, result);
  return true;
}

template <int Lanes>
void GraphSearch<Lanes>::note_newest(NodeId write, Result& result) {
  const ObjectId object = graph()[write].op.object;
  if (object >= newest_run_.size()) {
    newest_run_.resize(object + 1, -1);
  }
  const int place = graph().place_of(write, object);
  result.newest = place >= newest_run_[object];
  newest_run_[object] = std::max(newest_run_[object], place);
}

template <int Lanes>
bool GraphSearch<Lanes>::extend(ThreadId thread, const Operation& op, Result& result) {
  GraphT& graph = this->graph();
  const NodeId id = graph.size();
  if (reads_an_object(op.kind) && op.kind != OpKind::kStore) {
    if (!extend_read(thread, op)) {
      dead_ = true;
      return false;
    }
  } else if (op.kind == OpKind::kStore) {
    if (!add_write({op, thread, op.operand, false})) {
      dead_ = true;
      return false;
    }
  } else {
    int choice = 0;
    if (op.kind == OpKind::kSpawn) {
      choice = machine_.first_free_thread(Lanes);
      if (choice == Lanes) {
        too_many_threads_ = true;
        dead_ = true;
        return false;
      }
    } else if (op.kind == OpKind::kChoose) {
      for (int other = op.choices - 1; other > 0; --other) {
        frame().options.push_back({Option::Kind::kChoice, id, 0, other});
      }
    }
    graph.add_other(op, thread, choice);
    if (op.kind == OpKind::kSpawn) {
      start_clocks_[choice] = graph[id].happens_before;
      start_clocks_[choice].set(thread, graph[id].position);
    }
  }
  const int added = graph.size() - id;
  consume(thread, added);
  result = result_of(graph[id]);
  if (graph[graph.size() - 1].write) {
    note_newest(graph.size() - 1, result);
  }
  if (has_losers()) {
    turn_ = -1;
  }
  return true;
}

// What a read could read now, the newest first. `taken`: it would have to take it from another.
template <int Lanes>
const std::vector<typename GraphSearch<Lanes>::Candidate>& GraphSearch<Lanes>::candidates(
    ThreadId thread, const Operation& op) {
  const GraphT& graph = this->graph();
  const Content first = initial(op.object);
  const auto all = graph.writes(op.object);
  const int newest = static_cast<int>(all.size()) - 1;
  const int oldest = graph.oldest_visible(thread, op.object, model_);
  candidates_.clear();
  const auto content_at = [&](int place) {
    return place < 0 ? first : graph[all[static_cast<std::size_t>(place)]].content;
  };
  for (int place = newest; place >= oldest; --place) {
    const Content content = content_at(place);
    const int ways = choices(op, content);
    for (int choice = 0; choice < ways; ++choice) {
      const Effect effect = step(op, thread, content, choice);
      if (!effect.possible || effect.would_block) {
        continue;
      }
      if (is_answer_unique(op) && !effect.writes && place > oldest &&
          !step(op, thread, content_at(place - 1), 0).would_block) {
        continue;
      }
      const bool taken = effect.writes && graph.is_glued(op.object, place + 1);
      candidates_.push_back(
          {place < 0 ? kInitial : all[static_cast<std::size_t>(place)], choice, taken});
    }
  }
  return candidates_;
}

template <int Lanes>
bool GraphSearch<Lanes>::extend_read(ThreadId thread, const Operation& op) {
  const auto& all = candidates(thread, op);
  if (all.empty() || all[0].taken) {
    return false;
  }
  const Candidate plainest = all[0];
  put_aside(thread, op, all, 1);
  return try_read(op, thread, plainest.source, plainest.choice);
}

template <int Lanes>
void GraphSearch<Lanes>::put_aside(ThreadId thread,
                                   const Operation& op,
                                   const std::vector<Candidate>& all,
                                   std::size_t from) {
  for (std::size_t i = all.size(); i > from; --i) {
    frame().options.push_back({Option::Kind::kRead,
                               graph().size(),
                               all[i - 1].source,
                               all[i - 1].choice,
                               static_cast<int>(frame().reads.size())});
  }
  if (all.size() > from) {
    frame().reads.push_back({op, thread, static_cast<int>(all.size() - from)});
  }
}
template <int Lanes>
const std::int16_t* GraphSearch<Lanes>::clock(ThreadId thread) {
  return done(thread) == 0 ? start_clocks_[static_cast<std::size_t>(thread)].at.data()
                           : graph()[graph().at(thread, done(thread))].happens_before.at.data();
}

template <int Lanes>
Director::AtomicRace GraphSearch<Lanes>::find_atomic_race(ThreadId thread,
                                                          ObjectId object,
                                                          bool write) {
  const NodeId id = graph().find_race(thread, done(thread), object, write);
  return id == kInitial
             ? AtomicRace{}
             : AtomicRace{true, graph()[id].write, graph()[id].thread, graph()[id].op.pc};
}

template <int Lanes>
std::int64_t GraphSearch<Lanes>::now_ns(ThreadId thread) const {
  std::int64_t now = kClockStartNs;
  if (done(thread) == 0) {
    return now;
  }
  const Node& last = graph()[graph().at(thread, done(thread))];
  for (NodeId id = 0; id < graph().size(); ++id) {
    const Node& node = graph()[id];
    if (node.op.kind == OpKind::kTimeout &&
        (&node == &last || last.causes.covers(node.thread, node.position))) {
      now = std::max(now, node.op.deadline_ns);
    }
  }
  return now;
}

template <int Lanes>
void GraphSearch<Lanes>::record(Execution& execution) const {
  record_graph(graph(), execution);
}

template Director::AtomicRace GraphSearch<8>::find_atomic_race(ThreadId, ObjectId, bool);
template Director::AtomicRace GraphSearch<kThreadsMax>::find_atomic_race(ThreadId, ObjectId, bool);
template bool GraphSearch<8>::repeat(ThreadId, OpKind, const void*, Result&);
template bool GraphSearch<kThreadsMax>::repeat(ThreadId, OpKind, const void*, Result&);
template void GraphSearch<8>::take(NodeId, const Graph<8>::Node&, Result&);
template void GraphSearch<kThreadsMax>::take(NodeId, const Graph<kThreadsMax>::Node&, Result&);
template bool GraphSearch<8>::arrive(ThreadId thread, const Operation& op, Result& result);
template bool GraphSearch<kThreadsMax>::arrive(ThreadId thread,
                                               const Operation& op,
                                               Result& result);
template bool GraphSearch<8>::would_block_now(ThreadId thread, const Operation& op) const;
template bool GraphSearch<kThreadsMax>::would_block_now(ThreadId thread, const Operation& op) const;
template void GraphSearch<8>::consume(ThreadId thread, int nodes);
template void GraphSearch<kThreadsMax>::consume(ThreadId thread, int nodes);
template Result GraphSearch<8>::result_of(const Graph<8>::Node& node);
template Result GraphSearch<kThreadsMax>::result_of(const Graph<kThreadsMax>::Node& node);
template bool GraphSearch<8>::replay(ThreadId thread, const Operation& op, Result& result);
template bool GraphSearch<kThreadsMax>::replay(ThreadId thread,
                                               const Operation& op,
                                               Result& result);
template void GraphSearch<8>::note_newest(NodeId write, Result& result);
template void GraphSearch<kThreadsMax>::note_newest(NodeId write, Result& result);
template bool GraphSearch<8>::extend(ThreadId thread, const Operation& op, Result& result);
template bool GraphSearch<kThreadsMax>::extend(ThreadId thread,
                                               const Operation& op,
                                               Result& result);
template const std::vector<GraphSearch<8>::Candidate>& GraphSearch<8>::candidates(
    ThreadId thread, const Operation& op);
template const std::vector<GraphSearch<kThreadsMax>::Candidate>&
GraphSearch<kThreadsMax>::candidates(ThreadId thread, const Operation& op);
template bool GraphSearch<8>::extend_read(ThreadId thread, const Operation& op);
template bool GraphSearch<kThreadsMax>::extend_read(ThreadId thread, const Operation& op);
template void GraphSearch<8>::put_aside(ThreadId thread,
                                        const Operation& op,
                                        const std::vector<Candidate>& all,
                                        std::size_t from);
template void GraphSearch<kThreadsMax>::put_aside(ThreadId thread,
                                                  const Operation& op,
                                                  const std::vector<Candidate>& all,
                                                  std::size_t from);
template const std::int16_t* GraphSearch<8>::clock(ThreadId thread);
template const std::int16_t* GraphSearch<kThreadsMax>::clock(ThreadId thread);
template std::int64_t GraphSearch<8>::now_ns(ThreadId thread) const;
template std::int64_t GraphSearch<kThreadsMax>::now_ns(ThreadId thread) const;
template void GraphSearch<8>::record(Execution& execution) const;
template void GraphSearch<kThreadsMax>::record(Execution& execution) const;

}  // namespace overbite::ordering
