// Which reads of a graph may read from a new write instead, and what of the graph then stays.
//
// What was added after the read and is no cause of the write goes. It may only go if it was added
// in the plainest way: reads the newest write there was, writes last, nobody reads it who stays. Of
// all graphs that come down to the same rest exactly one is like that, so the rest is made once
// (TruSt, section 4: "maximal extensions").
//
// A call that waits for something and loses it to another (two threads, one lock) is one operation
// with several attempts in the graph: those that lost, each reading from the write it lost to, and
// the one that won. "Loser" below is an attempt that lost; when it is its thread's last node, the
// thread waits to come again.
#pragma once

#include <vector>

#include "ordering/explore/graph.h"

namespace overbite::ordering {

// A write that is about to be added.
struct NewWrite {
  Operation op;
  ThreadId thread = 0;
  Content content;
  bool reads_first = false;  // its read is the last node of its thread
};

// Of a call that waits and then only looks: which of several good contents it looks at is nothing
// that anybody could tell. It looks at the first.
bool is_answer_unique(const Operation& op);

template <int Lanes>
class Revisits {
 public:
  using GraphT = Graph<Lanes>;
  using Node = typename GraphT::Node;
  using Clock = typename GraphT::Clock;

  // `graph`: without the write; outlives this.
  explicit Revisits(const GraphT& graph) : graph_(graph) {}

  // Whether the read may read from `write`, whose causes these are.
  bool is_possible(NodeId read, const NewWrite& write, const Clock& causes);
  // An entry for each node, 0: it goes. The read itself goes, too. Valid until the next call.
  const std::vector<char>& find_kept(NodeId read, const Clock& causes);

  static bool is_loser(const Node& node) { return node.would_block; }
  // A thread waits to come again, and what it waits for has come and gone by because others did
  // something in between: only a revisit can help it.
  bool is_frozen(const Node& loser) const;

 private:
  bool is_repetition(const Node& node) const;
  bool is_plain(NodeId id, const Clock& causes) const;
  bool is_plain_read(const Node& node,
                     std::uint32_t stamp,
                     NodeId source,
                     const Clock& causes) const;
  bool is_plain_wait(const Node& node,
                     std::uint32_t stamp,
                     NodeId source,
                     const Clock& causes) const;
  bool is_plain_loss(const Node& node, const Clock& causes) const;
  bool is_left_behind(const Node& loser, const Content& content, const Clock& causes) const;
  bool has_others_between(std::uint32_t from, std::uint32_t to, const Clock& causes) const;
  bool is_newest_among(NodeId write,
                       ObjectId object,
                       std::uint32_t stamp,
                       const Clock& causes) const;

  const GraphT& graph_;
  std::vector<char> kept_;
};

extern template class Revisits<8>;
extern template class Revisits<kThreadsMax>;

}  // namespace overbite::ordering
