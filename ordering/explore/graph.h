// An execution graph: what each thread did, which write each read read from, and the order of the
// writes of each object (Lahav, Vafeiadis, Kang, Hur and Dreyer, PLDI 2017: po, rf and mo).
//
// Nodes are only ever added behind what they depend on, and taken away from the end. Everything
// a consistency check needs is kept as clocks on the nodes, so that adding one is cheap.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ordering/runtime/operation.h"

namespace overbite::ordering {

enum class Model : std::uint8_t { kSc, kRc11 };

using NodeId = std::int32_t;
inline constexpr NodeId kInitial = -1;  // what an object held before any write

template <int Lanes>
class Graph {
 public:
  using Clock = VectorClock<Lanes>;

  // A read, a write, or neither. An operation that does both is two nodes, the write right behind
  // the read.
  struct Node {
    Operation op;
    ThreadId thread = 0;
    std::int16_t position = 0;  // within its thread, from 1
    std::uint32_t stamp = 0;    // in the order of being added, first time
    NodeId source = kInitial;   // of a read; of the write of one operation: the read's source
    bool read = false;
    bool write = false;
    bool succeeded = true;
    bool would_block = false;
    bool looked = false;        // no read: the thread saw nothing older than `source`
    bool sc_before = true;      // is_sc() before this was added
    std::uint8_t waits_on = 0;  // the thread waits for a change of its last so many reads
    int choice = 0;
    std::uint32_t log_mark = 0;
    Content content;       // what was read or written
    Clock happens_before;  // strictly before it
    Clock causes;          // likewise: program order, reads-from, joins
    Clock sc;              // likewise: those, and the orders of each object
    Clock published;       // of a write: what an acquire that reads it gets
    Clock to_acquire;      // what the next acquire fence of its thread brings
    Clock released;        // what a relaxed write of its thread publishes
  };

  Graph() { clear(); }
  void clear();

  // --- reading ------------------------------------------------------------------------------
  int size() const { return static_cast<int>(nodes_.size()); }
  const Node& operator[](NodeId id) const { return nodes_[static_cast<std::size_t>(id)]; }
  int length(ThreadId thread) const { return static_cast<int>(of(thread).size()); }
  NodeId at(ThreadId thread, int position) const {
    return of(thread)[static_cast<std::size_t>(position - 1)];
  }
  NodeId last(ThreadId thread) const { return of(thread).empty() ? -1 : of(thread).back(); }
  bool has_ended(ThreadId thread) const {
    return last(thread) >= 0 && (*this)[last(thread)].op.kind == OpKind::kEnd;
  }
  std::span<const NodeId> writes(ObjectId object) const;
  // The last in the order of its writes; kInitial: there is none.
  NodeId newest(ObjectId object) const {
    return writes(object).empty() ? kInitial : writes(object).back();
  }
  std::span<const NodeId> reads(ObjectId object) const;
  bool touched(ObjectId object) const;
  const Content& content_of(NodeId write, ObjectId object) const;
  // Its place in the order of its object's writes; -1: initial.
  int place_of(NodeId write, ObjectId object) const;
  // Reads that would block: see revisits.h.
  int losers() const { return losers_; }
  // Whether it is consistent as an interleaving.
  bool is_sc() const { return is_sc_; }
  // The first place among the writes that a read by `thread`, added now, may read: what comes
  // before it is hidden by what the thread knows already.
  int oldest_visible(ThreadId thread, ObjectId object, Model model) const;
  // The write at `place` and the one before it belong together: nothing may come between.
  bool is_glued(ObjectId object, int place) const;
  // What happens before the next operation of a thread, its own last event included.
  Clock clock(ThreadId thread) const;
  // A node like the next one of `thread`, not added: its causes.
  Clock next_causes(ThreadId thread) const;
  // The last node of a thread that is not a look at what it still waits for; -1: none.
  NodeId last_done(ThreadId thread) const;
  // A node on `object` that is ordered neither before nor after a plain access that `thread` makes
  // behind its first `done` nodes; -1: none.
  NodeId find_race(ThreadId thread, int done, ObjectId object, bool write) const;
  // Where the content of a datagram comes from: the send that a receive which reads from `source`
  // takes. kInitial if there is none.
  NodeId sender_of(NodeId source, ObjectId object) const;

  // --- changing -----------------------------------------------------------------------------
  // Each returns false, with the node added all the same, if the graph is not consistent any more.
  // `initial`: what the object held, if this is the first to touch it.
  bool add_read(const Operation& op,
                ThreadId thread,
                NodeId source,
                int choice,
                const Content& initial,
                Model model);
  // `place`: how many writes come before it. `source`: of an operation that read first.
  bool add_write(const Operation& op,
                 ThreadId thread,
                 NodeId source,
                 const Content& content,
                 int place,
                 const Content& initial,
                 Model model);
  void add_other(const Operation& op, ThreadId thread, int choice);
  // From now on the thread sees nothing of the object that is older than `source`.
  void add_look(const Operation& op, ThreadId thread, NodeId source);
  // The last node waits; see Node::waits_on.
  void wait_on(NodeId id, int reads) {
    mutable_node(id).waits_on = static_cast<std::uint8_t>(reads);
  }
  // Takes nodes away from the end until `size` are left.
  void cut(int size);
  void set_last_stamp(std::uint32_t stamp) { nodes_.back().stamp = stamp; }
  std::uint32_t next_stamp() const { return next_stamp_; }

  // Becomes what of `from` is to be kept: one entry for each node, 0: not.
  void copy_part(const Graph& from, const std::vector<char>& kept);

  // A sequence in which every node comes behind its causes, and, if the graph is_sc(), behind
  // everything an interleaving puts before it. Few changes of thread.
  std::vector<NodeId> in_order() const;

 private:
  struct ObjectOrder {
    Content initial;
    std::vector<NodeId> writes;
    std::vector<NodeId> reads;
  };
  struct Change {
    NodeId node;
    Clock sc;
  };

  const std::vector<NodeId>& of(ThreadId thread) const {
    return threads_[static_cast<std::size_t>(thread)];
  }
  Node& mutable_node(NodeId id) { return nodes_[static_cast<std::size_t>(id)]; }
  ObjectOrder& order_of(ObjectId object, const Content& initial);
  Node& begin_node(const Operation& op, ThreadId thread);
  bool covers(const Clock& clock, NodeId id) const {
    const Node& node = (*this)[id];
    return clock.covers(node.thread, node.position);
  }
  static Clock with_itself(Clock clock, const Node& node) {
    clock.set(node.thread, node.position);
    return clock;
  }
  // The node that the next one of `thread` comes behind: its last, or the one that starts it.
  NodeId before_next(ThreadId thread) const {
    const NodeId before = last(thread);
    return before >= 0 ? before : spawned_by_[static_cast<std::size_t>(thread)];
  }
  void join(Clock& clock, const Clock& other, const Node& node) const {
    clock.join(other);
    if (!clock.covers(node.thread, node.position)) {
      clock.set(node.thread, node.position);
    }
  }
  // `node` comes before `next` and what follows it. False: it does not.
  bool put_before(Node& node, NodeId next);
  bool recompute_sc();
  bool still_consistent(Model model);
  bool psc_is_acyclic() const;

  std::vector<Node> nodes_;
  std::vector<NodeId> threads_[Lanes];
  NodeId spawned_by_[Lanes];
  std::vector<ObjectOrder> objects_;
  std::vector<Change> log_;
  std::uint32_t next_stamp_ = 0;
  bool is_sc_ = true;
  int losers_ = 0;
};

extern template class Graph<8>;
extern template class Graph<kThreadsMax>;

}  // namespace overbite::ordering
