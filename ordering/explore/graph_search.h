// Every execution graph that is consistent with a memory model, each once: TruSt (Kokologiannakis,
// Marmanis, Gladstein and Vafeiadis, "Truly Stateless, Optimal Dynamic Partial Order Reduction",
// POPL 2022), on native threads.
//
// A run replays the graph, each thread through its own nodes with the answers that are on them, and
// then extends it. A new read may read from several writes; a new write may have several places in
// its object's order, and reads that were there before may read from it instead ("revisits"). One
// alternative is taken at once, the others are put aside. A revisit takes the graph that is left
// without what depends on the old answer; it is only made from the one graph in which all of that
// was added in the plainest way, so no graph comes up twice.
//
// A thread that waits is a thread whose last reads were not what it wants. It waits for the newest
// there is; a write that changes that must be read by it, so the graph without this revisit is
// given up.
#pragma once

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "ordering/explore/graph.h"
#include "ordering/explore/revisits.h"
#include "ordering/explore/search.h"

namespace overbite::ordering {

template <int Lanes>
class GraphSearch final : public Search {
 public:
  // `machine` outlives this. Of `shard.count` searches each sees its part of the whole: the
  // alternatives that the first execution leaves are dealt out in turn.
  GraphSearch(Machine& machine, Model model, Shard shard = {});

  bool begin() override;
  void begin_again() override;
  void start() override;
  bool arrive(ThreadId thread, const Operation& op, Result& result) override;
  bool repeat(ThreadId thread, OpKind kind, const void* address, Result& result) override;
  bool wait(ThreadId thread, int reads, std::int64_t deadline_ns, bool& timed_out) override;
  ThreadId next() override;
  End end() const override { return end_; }
  const std::int16_t* clock(ThreadId thread) override;
  AtomicRace find_atomic_race(ThreadId thread, ObjectId object, bool write) override;
  bool touched(ObjectId object) const override { return graph().touched(object); }
  int done(ThreadId thread) const override { return done_.at[static_cast<std::size_t>(thread)]; }
  std::int64_t now_ns(ThreadId thread) const override;
  void record(Execution& execution) const override;

  // The body has more threads than there are lanes: nothing was established.
  bool has_too_many_threads() const { return too_many_threads_; }

 private:
  using GraphT = Graph<Lanes>;
  using Node = typename GraphT::Node;
  using Clock = typename GraphT::Clock;

  struct Option {
    enum class Kind : std::uint8_t { kRead, kPlace, kChoice, kRevisit, kRevisitAt, kLook };
    Kind kind;
    int size;        // of the graph before it
    int value = 0;   // kRead: the source; kPlace, kRevisitAt: the place; kRevisit: the read; kLook:
                     // the thread
    int choice = 0;  // kRead, kChoice, kRevisitAt
    int read = 0;    // kRead: in Frame::reads
  };
  // A read that is about to be added, and how many options say how.
  struct NewRead {
    Operation op;
    ThreadId thread = 0;
    int options = 0;
  };
  struct Candidate {
    NodeId source;
    int choice;
    bool taken;  // by another, from whom it would have to be taken away
  };
  // A thread that looked, did not find what it wants, and whose looks are not in the graph.
  struct Parked {
    int reads = 0;
    std::array<std::pair<ObjectId, NodeId>, 16> seen{};
    bool looks_again = false;
    bool times_out = false;  // if the next looks are in vain too
  };
  // One graph and what is still to be tried with it.
  struct Frame {
    GraphT graph;
    Revisits<Lanes> revisits{graph};
    std::vector<Option> options;
    std::vector<NewRead> reads;    // of the kRead options, in their order
    std::vector<NewWrite> writes;  // of the kRevisit options, in their order
    int floor = 0;                 // nodes that belong to the revisit
    // Of a frame that a revisit made: the write and the read that now reads from it.
    NewWrite write;
    Operation read_op;
    ThreadId reader = 0;
    std::uint32_t read_stamp = 0;
    int base = 0;  // nodes before both
  };

  Frame& frame() { return *frames_[depth_]; }
  const Frame& frame() const { return *frames_[depth_]; }
  GraphT& graph() { return frame().graph; }
  const GraphT& graph() const { return frames_[depth_]->graph; }
  Frame& push_frame();

  // Each: false when nothing can come of it.
  bool try_option(const Option& option);
  void deal();
  bool try_read(const Operation& op, ThreadId thread, NodeId source, int choice);
  bool try_revisit(NodeId read, NewWrite write);
  bool try_revisit_at(int place, int choice);
  bool add_write(const NewWrite& write);
  bool finish_operations();

  bool extend(ThreadId thread, const Operation& op, Result& result);
  bool extend_read(ThreadId thread, const Operation& op);
  const std::vector<Candidate>& candidates(ThreadId thread, const Operation& op);
  void put_aside(ThreadId thread,
                 const Operation& op,
                 const std::vector<Candidate>& all,
                 std::size_t from);
  void forget_last(ThreadId thread, int nodes);
  void park(ThreadId thread, int reads);
  bool replay(ThreadId thread, const Operation& op, Result& result);
  void consume(ThreadId thread, int nodes);
  void take(NodeId id, const Node& node, Result& result);
  static Result result_of(const Node& node);
  void note_newest(NodeId write, Result& result);

  void add_revisits(const NewWrite& write);
  bool has_losers() const;
  Content initial(ObjectId object) const;
  bool is_waiting(ThreadId thread) const;
  bool would_block_now(ThreadId thread, const Operation& op) const;
  bool has_changed(const Parked& parked) const;
  bool is_anyone_behind() const;
  void put_waiters_aside(ThreadId without);
  void add_look(ThreadId thread, const Operation& op);
  void time_out(ThreadId thread, std::int64_t deadline_ns);
  bool had_a_choice(ThreadId thread) const;
  bool can_run(ThreadId thread) const;
  ThreadId pick() const;
  ThreadId stuck();

  Machine& machine_;
  const Model model_;
  const Shard shard_;
  std::vector<std::unique_ptr<Frame>> frames_;
  std::size_t depth_ = 0;
  bool started_ = false;
  bool dealt_ = false;
  bool too_many_threads_ = false;
  // Of this execution.
  Clock done_;
  int replayed_ = 0;
  ThreadId turn_ = -1;
  bool dead_ = false;
  ThreadId looker_ = -1;  // the only thread that goes on, to see what it could have seen earlier
  End end_ = End::kComplete;
  Clock start_clocks_[Lanes];
  Parked parked_[Lanes];
  std::vector<Candidate> candidates_;
  std::vector<int> newest_run_;  // by object: the place of the newest write that was run
};

extern template class GraphSearch<8>;
extern template class GraphSearch<kThreadsMax>;

}  // namespace overbite::ordering
