// Whether a graph is consistent as a whole, and in which order its nodes can be told.
#include <algorithm>

#include "ordering/explore/graph.h"
#include "ordering/explore/psc.h"

namespace overbite::ordering {

// Every node's sc clock from nothing, by repetition. False: there is a cycle.
template <int Lanes>
bool Graph<Lanes>::recompute_sc() {
  for (Node& node : nodes_) {
    node.sc = node.causes;
  }
  const auto total = nodes_.size();
  bool changed = true;
  const auto before = [&](NodeId first, NodeId second) {
    Node& later = mutable_node(second);
    const Node& earlier = (*this)[first];
    Clock clock = earlier.sc;
    clock.set(earlier.thread,
              std::max(clock.at[static_cast<std::size_t>(earlier.thread)], earlier.position));
    if (!later.sc.covers(clock)) {
      later.sc.join(clock);
      changed = true;
    }
  };
  for (std::size_t round = 0; changed; ++round) {
    if (round > total + 1) {
      return false;
    }
    changed = false;
    for (NodeId id = 0; id < size(); ++id) {
      const Node& node = (*this)[id];
      if (node.position > 1) {
        before(at(node.thread, node.position - 1), id);
      } else if (spawned_by_[static_cast<std::size_t>(node.thread)] != kInitial) {
        before(spawned_by_[static_cast<std::size_t>(node.thread)], id);
      }
      if (node.read && !node.write && node.source != kInitial) {
        before(node.source, id);
      }
      if (node.sc.covers(node.thread, node.position)) {
        return false;
      }
    }
    for (const ObjectOrder& object : objects_) {
      for (std::size_t i = 0; i + 1 < object.writes.size(); ++i) {
        before(object.writes[i], object.writes[i + 1]);
      }
      for (const NodeId read : object.reads) {
        const auto place =
            static_cast<std::size_t>(place_of((*this)[read].source, (*this)[read].op.object) + 1);
        if (place < object.writes.size()) {
          const Node& write = (*this)[object.writes[place]];
          const bool own = write.read && write.thread == (*this)[read].thread &&
                           write.position == (*this)[read].position + 1;
          if (!own && !(*this)[read].would_block && !(*this)[read].looked) {
            before(read, object.writes[place]);
          }
        }
      }
    }
  }
  return true;
}

static bool is_sc_access(const Operation& op, bool succeeded) {
  const bool failed_cas = op.kind == OpKind::kCas && !succeeded;
  return op.kind <= OpKind::kCas && (failed_cas ? op.failure_order : op.order) == kSeqCst;
}

static bool is_sc_fence(const Operation& op) {
  return (op.kind == OpKind::kFence && op.order == kSeqCst) ||
         op.kind == OpKind::kEnterFutex;  // guard: futex-fence
}

// Of a graph whose last node is new. Nothing comes behind it yet but the later writes of its
// object: without them it closes no cycle. And without fences psc relates seq_cst accesses only,
// and a new node that is none comes between no two of them.
template <int Lanes>
bool Graph<Lanes>::psc_is_acyclic() const {
  const Node& added = nodes_.back();
  const ObjectId object = added.op.object;
  const NodeId write = added.write ? size() - 1 : added.source;
  const auto all_writes = writes(object);
  if (all_writes.empty() || all_writes.back() == write ||
      (!is_sc_access(added.op, added.succeeded) &&
       std::none_of(
           nodes_.begin(), nodes_.end(), [](const Node& node) { return is_sc_fence(node.op); }))) {
    return true;
  }
  const int count = size();
  std::vector<PscNode> all(static_cast<std::size_t>(count));
  for (NodeId id = 0; id < count; ++id) {
    const Node& node = (*this)[id];
    PscNode& out = all[static_cast<std::size_t>(id)];
    out.thread = node.thread;
    out.position = node.position;
    out.object = (node.read || node.write) && !node.looked ? node.op.object : kNoObject;
    out.place = node.write ? place_of(id, node.op.object)
                           : (node.read ? place_of(node.source, node.op.object) : -1);
    out.write = node.write;
    out.read = node.read && !node.write && !node.looked;
    out.fence = is_sc_fence(node.op);
    out.sc = (out.read || out.write) && is_sc_access(node.op, node.succeeded);
  }
  return ordering::psc_is_acyclic(all, [&](int a, int b) {
    const Node& first = (*this)[a];
    return (*this)[b].happens_before.covers(first.thread, first.position);
  });
}

template <int Lanes>
bool Graph<Lanes>::still_consistent(Model model) {
  if (is_sc_) {
    return true;
  }
  return model == Model::kRc11 && psc_is_acyclic();  // guard: psc-check
}

template <int Lanes>
std::vector<NodeId> Graph<Lanes>::in_order() const {
  std::vector<NodeId> result;
  Clock done;
  ThreadId current = 0;
  const auto next_of = [&](ThreadId thread) -> NodeId {
    const int position = done.at[static_cast<std::size_t>(thread)] + 1;
    return position <= length(thread) ? at(thread, position) : -1;
  };
  const auto ready = [&](ThreadId thread) {
    const NodeId id = next_of(thread);
    return id >= 0 && done.covers(is_sc_ ? (*this)[id].sc : (*this)[id].causes);
  };
  while (static_cast<int>(result.size()) < size()) {
    for (int tried = 0; !ready(current) && tried <= Lanes; ++tried) {
      current = (current + 1) % Lanes;
    }
    const NodeId id = next_of(current);
    result.push_back(id);
    done.set(current, (*this)[id].position);
  }
  return result;
}

template <int Lanes>
NodeId Graph<Lanes>::sender_of(NodeId source, ObjectId object) const {
  const std::uint32_t wanted = queue_state(content_of(source, object)).received + 1;
  for (const NodeId write : writes(object)) {
    const Node& node = (*this)[write];
    if (node.op.kind == OpKind::kSend && queue_state(node.content).sent == wanted) {
      return write;
    }
  }
  return kInitial;
}

template <int Lanes>
NodeId Graph<Lanes>::find_race(ThreadId thread, int done, ObjectId object, bool write) const {
  if (object >= objects_.size()) {
    return kInitial;
  }
  Clock known;
  const NodeId before = done > 0 ? at(thread, done) : spawned_by_[static_cast<std::size_t>(thread)];
  if (before != kInitial) {
    known = with_itself((*this)[before].happens_before, (*this)[before]);
  }
  const auto next = static_cast<std::int16_t>(done + 1);
  const auto races = [&](NodeId id) {
    const Node& node = (*this)[id];
    return node.thread != thread && !node.looked && !covers(known, id) &&
           !node.happens_before.covers(thread, next);
  };
  for (const NodeId id : objects_[object].writes) {
    if (races(id)) {
      return id;
    }
  }
  for (const NodeId id : objects_[object].reads) {
    if (write && races(id)) {  // guard: race-with-atomic-read
      return id;
    }
  }
  return kInitial;
}

template bool Graph<8>::recompute_sc();
template bool Graph<kThreadsMax>::recompute_sc();
template bool Graph<8>::still_consistent(Model);
template bool Graph<kThreadsMax>::still_consistent(Model);
template bool Graph<8>::psc_is_acyclic() const;
template bool Graph<kThreadsMax>::psc_is_acyclic() const;
template std::vector<NodeId> Graph<8>::in_order() const;
template std::vector<NodeId> Graph<kThreadsMax>::in_order() const;
template NodeId Graph<8>::sender_of(NodeId source, ObjectId object) const;
template NodeId Graph<kThreadsMax>::sender_of(NodeId source, ObjectId object) const;
template NodeId Graph<8>::find_race(ThreadId, int, ObjectId, bool) const;
template NodeId Graph<kThreadsMax>::find_race(ThreadId, int, ObjectId, bool) const;

}  // namespace overbite::ordering
