#include "ordering/explore/graph.h"

#include <algorithm>
#include <utility>

namespace overbite::ordering {

template <int Lanes>
void Graph<Lanes>::clear() {
  nodes_.clear();
  for (auto& thread : threads_) {
    thread.clear();
  }
  for (auto& object : objects_) {
    object.writes.clear();
    object.reads.clear();
  }
  std::fill(std::begin(spawned_by_), std::end(spawned_by_), kInitial);
  log_.clear();
  next_stamp_ = 0;
  losers_ = 0;
  is_sc_ = true;
}

template <int Lanes>
std::span<const NodeId> Graph<Lanes>::writes(ObjectId object) const {
  return object < objects_.size() ? std::span<const NodeId>(objects_[object].writes)
                                  : std::span<const NodeId>();
}

template <int Lanes>
std::span<const NodeId> Graph<Lanes>::reads(ObjectId object) const {
  return object < objects_.size() ? std::span<const NodeId>(objects_[object].reads)
                                  : std::span<const NodeId>();
}

template <int Lanes>
bool Graph<Lanes>::touched(ObjectId object) const {
  return object < objects_.size() &&
         (!objects_[object].writes.empty() || !objects_[object].reads.empty());
}

template <int Lanes>
const Content& Graph<Lanes>::content_of(NodeId write, ObjectId object) const {
  return write == kInitial ? objects_[object].initial : (*this)[write].content;
}

template <int Lanes>
int Graph<Lanes>::place_of(NodeId write, ObjectId object) const {
  if (write == kInitial) {
    return -1;
  }
  const auto all = writes(object);
  int place = static_cast<int>(all.size()) - 1;
  while (all[static_cast<std::size_t>(place)] != write) {
    --place;
  }
  return place;
}

template <int Lanes>
int Graph<Lanes>::oldest_visible(ThreadId thread, ObjectId object, Model model) const {
  const auto all = writes(object);
  if (all.empty()) {
    return -1;
  }
  const NodeId before = before_next(thread);
  if (before < 0) {
    return -1;
  }
  const Clock known =
      model == Model::kRc11 ? clock(thread) : with_itself((*this)[before].sc, (*this)[before]);
  const auto reading = reads(object);
  for (int place = static_cast<int>(all.size()) - 1; place >= 0; --place) {
    const NodeId write = all[static_cast<std::size_t>(place)];
    if (covers(known, write)) {
      return place;
    }
    for (const NodeId read : reading) {
      if ((*this)[read].source == write && covers(known, read)) {  // guard: coherence-of-reads
        return place;
      }
    }
  }
  return -1;
}

template <int Lanes>
bool Graph<Lanes>::is_glued(ObjectId object, int place) const {
  const auto all = writes(object);
  if (place >= static_cast<int>(all.size())) {
    return false;
  }
  const Node& write = (*this)[all[static_cast<std::size_t>(place)]];
  return write.read;  // guard: glued
}

template <int Lanes>
typename Graph<Lanes>::Clock Graph<Lanes>::clock(ThreadId thread) const {
  const NodeId before = before_next(thread);
  return before < 0 ? Clock{} : with_itself((*this)[before].happens_before, (*this)[before]);
}

template <int Lanes>
typename Graph<Lanes>::Clock Graph<Lanes>::next_causes(ThreadId thread) const {
  const NodeId before = before_next(thread);
  return before < 0 ? Clock{} : with_itself((*this)[before].causes, (*this)[before]);
}

template <int Lanes>
NodeId Graph<Lanes>::last_done(ThreadId thread) const {
  const NodeId last_node = last(thread);
  if (last_node < 0) {
    return kInitial;
  }
  int position = length(thread) - (*this)[last_node].waits_on;
  while (position > 0 && (*this)[at(thread, position)].looked) {
    --position;
  }
  return position > 0 ? at(thread, position) : spawned_by_[static_cast<std::size_t>(thread)];
}

template <int Lanes>
typename Graph<Lanes>::ObjectOrder& Graph<Lanes>::order_of(ObjectId object,
                                                           const Content& initial) {
  if (object >= objects_.size()) {
    objects_.resize(object + 1);
  }
  ObjectOrder& order = objects_[object];
  if (order.writes.empty() && order.reads.empty()) {
    order.initial = initial;
  }
  return order;
}

template <int Lanes>
typename Graph<Lanes>::Node& Graph<Lanes>::begin_node(const Operation& op, ThreadId thread) {
  const NodeId before = before_next(thread);
  const auto id = static_cast<NodeId>(nodes_.size());
  nodes_.emplace_back();
  Node& node = nodes_.back();
  node.op = op;
  node.thread = thread;
  node.stamp = next_stamp_++;
  node.sc_before = is_sc_;
  node.log_mark = static_cast<std::uint32_t>(log_.size());
  node.position = 1;
  if (before >= 0) {
    const Node& previous = nodes_[static_cast<std::size_t>(before)];
    node.happens_before = previous.happens_before;
    node.causes = previous.causes;
    node.sc = previous.sc;
    // In place: a copy with one lane changed is read back from memory before it is there.
    for (Clock* const clock : {&node.happens_before, &node.causes, &node.sc}) {
      clock->set(previous.thread, previous.position);
    }
    if (previous.thread == thread) {
      node.to_acquire = previous.to_acquire;
      node.released = previous.released;
      node.position = static_cast<std::int16_t>(previous.position + 1);
    }
  }
  threads_[static_cast<std::size_t>(thread)].push_back(id);
  return node;
}

template <int Lanes>
bool Graph<Lanes>::put_before(Node& node, NodeId next) {
  if (covers(node.sc, next)) {
    return false;
  }
  Clock before = node.sc;
  before.set(node.thread, node.position);
  const Node& first = (*this)[next];
  for (NodeId id = 0; id < size(); ++id) {
    Node& later = mutable_node(id);
    const bool affected = id == next || later.sc.covers(first.thread, first.position);
    if (affected && &later != &node && !later.sc.covers(before)) {
      log_.push_back({id, later.sc});
      later.sc.join(before);
    }
  }
  return true;
}

template <int Lanes>
bool Graph<Lanes>::add_read(const Operation& op,
                            ThreadId thread,
                            NodeId source,
                            int choice,
                            const Content& initial,
                            Model model) {
  ObjectOrder& order = order_of(op.object, initial);
  Node& node = begin_node(op, thread);
  node.read = true;
  node.source = source;
  node.choice = choice;
  node.content = content_of(source, op.object);
  const Effect effect = step(op, thread, node.content, choice);
  node.succeeded = effect.succeeded;
  node.would_block = effect.would_block;
  losers_ += effect.would_block ? 1 : 0;
  const bool failed_cas = op.kind == OpKind::kCas && !effect.succeeded;
  const std::uint8_t how = failed_cas ? op.failure_order : op.order;  // guard: failed-cas-order
  if (source != kInitial) {
    const Node& write = (*this)[source];
    join(node.causes, write.causes, write);
    join(node.sc, write.sc, write);
    node.to_acquire.join(write.published);
    if (acquires(how)) {
      node.happens_before.join(write.published);
    }
  }
  if (op.kind == OpKind::kReceive && effect.writes) {
    // A datagram carries what happened before its send.
    const Node& send = (*this)[sender_of(source, op.object)];
    join(node.happens_before, send.happens_before, send);
  }
  // An attempt that lost was no look at the object: it only says behind whom it comes.
  const int place = place_of(source, op.object);
  if (is_sc_ && !effect.would_block && place + 1 < static_cast<int>(order.writes.size())) {
    is_sc_ = put_before(node, order.writes[static_cast<std::size_t>(place + 1)]);
  }
  order.reads.push_back(static_cast<NodeId>(nodes_.size()) - 1);
  return still_consistent(model);
}

template <int Lanes>
bool Graph<Lanes>::add_write(const Operation& op,
                             ThreadId thread,
                             NodeId source,
                             const Content& content,
                             int place,
                             const Content& initial,
                             Model model) {
  ObjectOrder& order = order_of(op.object, initial);
  Node& node = begin_node(op, thread);
  node.write = true;
  node.read = op.kind != OpKind::kStore;
  node.source = source;
  node.content = content;
  node.published = releases(op.order) ? with_itself(node.happens_before, node)
                                      : node.released;  // guard: relaxed-publishes
  if (node.read && source != kInitial) {
    node.published.join((*this)[source].published);  // guard: release-sequence
  }
  if (is_sc_) {
    const NodeId previous =
        place > 0 ? order.writes[static_cast<std::size_t>(place - 1)] : kInitial;
    if (previous != kInitial) {
      const Node& write = (*this)[previous];
      join(node.sc, write.sc, write);
    }
    for (const NodeId read : order.reads) {
      const Node& reader = (*this)[read];
      if (reader.source == previous && reader.thread != thread && !reader.would_block &&
          !reader.looked) {
        join(node.sc, reader.sc, reader);
      }
    }
    if (place < static_cast<int>(order.writes.size())) {
      is_sc_ = put_before(node, order.writes[static_cast<std::size_t>(place)]);
    }
  }
  order.writes.insert(order.writes.begin() + place,  // guard: store-place
                      static_cast<NodeId>(nodes_.size()) - 1);
  return still_consistent(model);
}

template <int Lanes>
void Graph<Lanes>::add_other(const Operation& op, ThreadId thread, int choice) {
  Node& node = begin_node(op, thread);
  node.choice = choice;
  switch (op.kind) {
    case OpKind::kFence:
      if (acquires(op.order)) {
        node.happens_before.join(node.to_acquire);  // guard: acquire-fence
      }
      if (releases(op.order)) {
        node.released = with_itself(node.happens_before, node);
      }
      break;
    case OpKind::kSpawn:
      spawned_by_[static_cast<std::size_t>(choice)] = static_cast<NodeId>(nodes_.size()) - 1;
      break;
    case OpKind::kJoin: {
      const Node& end = (*this)[last(op.other)];
      join(node.happens_before, end.happens_before, end);
      join(node.causes, end.causes, end);
      join(node.sc, end.sc, end);
      break;
    }
    case OpKind::kTimeout:
      // It happened because nothing else could: all that was done came first. What others wait for
      // has not been done.
      for (ThreadId other = 0; other < Lanes; ++other) {  // guard: timeout-behind-all
        if (const NodeId before = last_done(other); before >= 0 && other != thread) {
          join(node.causes, (*this)[before].causes, (*this)[before]);
          join(node.sc, (*this)[before].sc, (*this)[before]);
        }
      }
      break;
    default:
      break;
  }
}

template <int Lanes>
void Graph<Lanes>::add_look(const Operation& op, ThreadId thread, NodeId source) {
  Node& node = begin_node(op, thread);
  node.read = true;
  node.looked = true;
  node.source = source;
  if (source != kInitial) {
    join(node.causes, (*this)[source].causes, (*this)[source]);
    join(node.sc, (*this)[source].sc, (*this)[source]);
  }
  objects_[op.object].reads.push_back(static_cast<NodeId>(nodes_.size()) - 1);
}

template <int Lanes>
void Graph<Lanes>::cut(int size) {
  while (static_cast<int>(nodes_.size()) > size) {
    const Node& node = nodes_.back();
    const auto id = static_cast<NodeId>(nodes_.size()) - 1;
    if (node.write) {
      auto& writes = objects_[node.op.object].writes;
      writes.erase(std::find(writes.rbegin(), writes.rend(), id).base() - 1);
    } else if (node.read) {
      objects_[node.op.object].reads.pop_back();
    }
    losers_ -= node.would_block ? 1 : 0;
    threads_[static_cast<std::size_t>(node.thread)].pop_back();
    while (log_.size() > node.log_mark) {
      mutable_node(log_.back().node).sc = log_.back().sc;  // guard: sc-undo
      log_.pop_back();
    }
    is_sc_ = node.sc_before;
    nodes_.pop_back();
  }
}

template <int Lanes>
void Graph<Lanes>::copy_part(const Graph& from, const std::vector<char>& kept) {
  thread_local std::vector<NodeId> renamed;
  renamed.assign(from.nodes_.size(), kInitial);
  clear();
  objects_.resize(from.objects_.size());
  for (NodeId id = 0; id < from.size(); ++id) {
    const Node& node = from[id];
    if (kept[static_cast<std::size_t>(id)] == 0) {
      continue;
    }
    const auto name = static_cast<NodeId>(nodes_.size());
    renamed[static_cast<std::size_t>(id)] = name;
    nodes_.push_back(node);
    nodes_.back().log_mark = 0;
    losers_ += node.would_block ? 1 : 0;
    threads_[static_cast<std::size_t>(node.thread)].push_back(name);
  }
  // A read may read from a node behind it.
  for (Node& node : nodes_) {
    if (node.source != kInitial) {
      node.source = renamed[static_cast<std::size_t>(node.source)];
    }
  }
  for (std::size_t object = 0; object < from.objects_.size(); ++object) {
    const ObjectOrder& old = from.objects_[object];
    objects_[object].initial = old.initial;
    for (const NodeId write : old.writes) {
      if (renamed[static_cast<std::size_t>(write)] != kInitial) {
        objects_[object].writes.push_back(renamed[static_cast<std::size_t>(write)]);
      }
    }
    for (const NodeId read : old.reads) {
      if (renamed[static_cast<std::size_t>(read)] != kInitial) {
        objects_[object].reads.push_back(renamed[static_cast<std::size_t>(read)]);
      }
    }
  }
  for (std::size_t thread = 0; thread < Lanes; ++thread) {
    const NodeId by = from.spawned_by_[thread];
    spawned_by_[thread] =
        by == kInitial || by >= from.size() ? kInitial : renamed[static_cast<std::size_t>(by)];
  }
  next_stamp_ = from.next_stamp_;
  is_sc_ = from.is_sc_ || recompute_sc();
  for (Node& node : nodes_) {
    node.sc_before = is_sc_;
  }
}

template class Graph<8>;
template class Graph<kThreadsMax>;

}  // namespace overbite::ordering
