#include "ordering/explore/revisits.h"

namespace overbite::ordering {

bool is_answer_unique(const Operation& op) {
  // No once call: it wins or looks.
  return op.kind == OpKind::kWake || op.kind == OpKind::kPass;  // guard: once-is-won
}

template <int Lanes>
bool Revisits<Lanes>::is_possible(NodeId id, const NewWrite& write, const Clock& causes) {
  const GraphT& graph = graph_;
  const Node& read = graph[id];
  const Effect effect = step(read.op, read.thread, write.content, 0);
  if (!effect.possible) {
    return false;
  }
  if (read.looked) {
    return false;
  }
  if (read.would_block && !is_left_behind(read, write.content, causes)) {  // guard: left-behind
    return false;  // it lost to another and comes again
  }
  bool is_evicted = false;
  if (write.reads_first) {
    // What this one reads must not be taken by another that stays.
    const Node& own = graph[graph.last(write.thread)];
    const int place = graph.place_of(own.source, write.op.object) + 1;
    if (graph.is_glued(write.op.object, place)) {
      const Node& taker = graph[graph.writes(write.op.object)[static_cast<std::size_t>(place)]];
      if (taker.stamp <= read.stamp || causes.covers(taker.thread, taker.position)) {
        return false;
      }
      is_evicted = read.thread == taker.thread && read.position + 1 == taker.position;
    }
  }
  if (effect.would_block && !is_evicted) {
    return false;
  }
  if (is_answer_unique(read.op) && !effect.writes) {
    // It is woken by the first write that wakes it.
    const int place = write.reads_first
                          ? graph.place_of(graph[graph.last(write.thread)].source, write.op.object)
                          : static_cast<int>(graph.writes(write.op.object).size()) - 1;
    const Content& before = graph.content_of(
        place < 0 ? kInitial : graph.writes(write.op.object)[static_cast<std::size_t>(place)],
        write.op.object);
    if (!step(read.op, read.thread, before, 0).would_block) {
      return false;
    }
  }
  find_kept(id, causes);
  for (NodeId other = 0; other < graph.size(); ++other) {
    if (kept_[static_cast<std::size_t>(other)] == 0 && !is_plain(other, causes)) {
      return false;
    }
  }
  return true;
}

// What stays of the graph when `read` is to read from a write with these causes.
template <int Lanes>
const std::vector<char>& Revisits<Lanes>::find_kept(NodeId read, const Clock& causes) {
  const GraphT& graph = graph_;
  const std::uint32_t until = graph[read].stamp;  // guard: revisit-keeps
  kept_.assign(static_cast<std::size_t>(graph.size()), 0);
  for (NodeId id = 0; id < graph.size(); ++id) {
    const Node& node = graph[id];
    kept_[static_cast<std::size_t>(id)] =
        id != read && (node.stamp <= until || causes.covers(node.thread, node.position)) ? 1 : 0;
  }
  if (graph.losers() == 0) {
    return kept_;
  }
  // An operation that lost and came again is one: what it read in the end stays with its start, if
  // that can stay.
  for (NodeId id = 0; id < graph.size(); ++id) {
    const Node& node = graph[id];
    if (id == read || !is_repetition(node)) {
      continue;
    }
    const NodeId before = graph.at(node.thread, node.position - 1);
    if (kept_[static_cast<std::size_t>(before)] != 0 &&
        (node.source == kInitial || kept_[static_cast<std::size_t>(node.source)] != 0)) {
      kept_[static_cast<std::size_t>(id)] = 1;
    }
  }
  return kept_;
}

template <int Lanes>
bool Revisits<Lanes>::is_repetition(const Node& node) const {
  return node.read && !node.write && node.position > 1 &&
         graph_[graph_.at(node.thread, node.position - 1)].would_block;
}

// Whether the node was added in the plainest way, given what was there before it and `causes`.
template <int Lanes>
bool Revisits<Lanes>::is_plain(NodeId id, const Clock& causes) const {
  const GraphT& graph = graph_;
  const Node& node = graph[id];
  const std::uint32_t stamp = node.stamp;
  const ObjectId object = node.op.object;
  if (node.choice != 0 && node.op.kind != OpKind::kSpawn) {
    return false;
  }
  if (!node.read && !node.write) {
    return true;
  }
  const auto is_there = [&](const Node& other) {
    return other.stamp <= stamp || causes.covers(other.thread, other.position);
  };
  if (node.write) {
    for (const NodeId reader : graph.reads(object)) {
      if (graph[reader].source == id && is_there(graph[reader])) {
        return false;
      }
    }
    return is_newest_among(id, object, stamp, causes);  // guard: deleted-write-newest
  }
  if (is_repetition(node) &&
      kept_[static_cast<std::size_t>(graph.at(node.thread, node.position - 1))] == 0) {
    return true;  // judged with its start
  }
  if (is_loser(node)) {
    return is_plain_loss(node, causes);
  }
  return is_plain_read(node, stamp, node.source, causes);
}

// Of a read that was added at `stamp`, and reads from `source`.
template <int Lanes>
bool Revisits<Lanes>::is_plain_read(const Node& node,
                                    std::uint32_t stamp,
                                    NodeId source,
                                    const Clock& causes) const {
  const GraphT& graph = graph_;
  const bool is_there = source == kInitial || graph[source].stamp <= stamp ||
                        causes.covers(graph[source].thread, graph[source].position);
  return is_there &&
         (is_answer_unique(node.op) ||
          is_newest_among(source, node.op.object, stamp, causes));  // guard: deleted-read-newest
}

// Of an operation that, added at `stamp`, waits behind `source`.
template <int Lanes>
bool Revisits<Lanes>::is_plain_wait(const Node& node,
                                    std::uint32_t stamp,
                                    NodeId source,
                                    const Clock& causes) const {
  const GraphT& graph = graph_;
  const auto is_there = [&](const Node& other) {
    return other.stamp <= stamp || causes.covers(other.thread, other.position);
  };
  if (source != kInitial && !is_there(graph[source])) {
    return false;
  }
  // Nothing that it could have taken has gone by.
  const auto all = graph.writes(node.op.object);
  for (auto write = all.rbegin(); write != all.rend() && *write != source; ++write) {
    if (is_there(graph[*write]) &&
        !step(node.op, node.thread, graph[*write].content, 0).would_block) {
      return false;
    }
  }
  return true;
}

// Attempts that lost, and the one that won in the end, are one operation, added with the first of
// them. Either it was there for the last one, as if it had read that at once; or it had to wait as
// it did at some earlier one, and what came after was added in the plainest way.
template <int Lanes>
bool Revisits<Lanes>::is_plain_loss(const Node& node, const Clock& causes) const {
  const GraphT& graph = graph_;
  int last = node.position;
  while (last < graph.length(node.thread) &&
         is_repetition(graph[graph.at(node.thread, last + 1)])) {
    ++last;
  }
  const auto is_plain_as = [&](const Node& attempt, std::uint32_t stamp) {
    return is_loser(attempt) ? is_plain_wait(node, stamp, attempt.source, causes)
                             : is_plain_read(node, stamp, attempt.source, causes);
  };
  for (int attempt = last; attempt >= node.position; --attempt) {
    const Node& now = graph[graph.at(node.thread, attempt)];
    if (is_plain_as(now, node.stamp)) {
      return true;
    }
    if (!is_plain_as(now, now.stamp)) {
      return false;
    }
  }
  return false;
}

// The last node of a thread that lost: whether a write with this content and these causes, that it
// could have taken, comes too late to be taken at once, because others did something in between.
template <int Lanes>
bool Revisits<Lanes>::is_left_behind(const Node& loser,
                                     const Content& content,
                                     const Clock& causes) const {
  const GraphT& graph = graph_;
  if (&loser != &graph[graph.last(loser.thread)] ||
      step(loser.op, loser.thread, content, 0).would_block) {
    return false;
  }
  return has_others_between(loser.stamp, graph.next_stamp(), causes);
}

template <int Lanes>
bool Revisits<Lanes>::has_others_between(std::uint32_t from,
                                         std::uint32_t to,
                                         const Clock& causes) const {
  const GraphT& graph = graph_;
  for (NodeId id = 0; id < graph.size(); ++id) {
    const Node& node = graph[id];
    if (node.stamp > from && node.stamp < to && !causes.covers(node.thread, node.position)) {
      return true;
    }
  }
  return false;
}

// A thread that lost and that a write it could have taken has left behind: see is_left_behind().
template <int Lanes>
bool Revisits<Lanes>::is_frozen(const Node& loser) const {
  const GraphT& graph = graph_;
  const auto all = graph.writes(loser.op.object);
  for (std::size_t i = static_cast<std::size_t>(graph.place_of(loser.source, loser.op.object) + 1);
       i < all.size();
       ++i) {
    const Node& write = graph[all[i]];
    if (!step(loser.op, loser.thread, write.content, 0).would_block) {
      return has_others_between(loser.stamp, write.stamp, write.causes);
    }
  }
  return false;
}

template <int Lanes>
bool Revisits<Lanes>::is_newest_among(NodeId write,
                                      ObjectId object,
                                      std::uint32_t stamp,
                                      const Clock& causes) const {
  const GraphT& graph = graph_;
  const auto all = graph.writes(object);
  for (auto later = all.rbegin(); later != all.rend() && *later != write; ++later) {
    const Node& other = graph[*later];
    if (other.stamp <= stamp || causes.covers(other.thread, other.position)) {
      return false;
    }
  }
  return true;
}

template class Revisits<8>;
template class Revisits<kThreadsMax>;

}  // namespace overbite::ordering
