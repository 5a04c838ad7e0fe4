// Searches that decide which thread goes next, operation by operation, and let every read see the
// newest write: the oracle for the graph search, samples of what is too big for it, and replay.
#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "ordering/explore/graph.h"
#include "ordering/explore/search.h"

namespace overbite::ordering {

// One decision.
struct Step {
  ThreadId thread = 0;
  int choice = 0;
  int skipped = 0;  // see Event::skipped
  std::uint32_t signature = 0;
};

// The decisions of an execution, in order.
std::vector<Step> steps_of(const std::vector<Event>& events);

class Schedules : public Search {
 public:
  explicit Schedules(Machine& machine) : machine_(machine) {}

  bool begin() final { return begin_schedule(); }
  void start() final;
  bool arrive(ThreadId thread, const Operation& op, Result& result) final;
  bool wait(ThreadId thread, int reads, std::int64_t deadline_ns, bool& timed_out) final;
  ThreadId next() final;
  End end() const final { return end_; }
  const std::int16_t* clock(ThreadId thread) final;
  AtomicRace find_atomic_race(ThreadId thread, ObjectId object, bool write) final;
  bool touched(ObjectId object) const override { return graph_.touched(object); }
  int done(ThreadId thread) const final { return graph_.length(thread); }
  std::int64_t now_ns(ThreadId /*thread*/) const final { return now_ns_; }
  void record(Execution& execution) const final;

 protected:
  // A decision that can be taken now.
  struct Option {
    ThreadId thread;
    int choice;
  };
  // As begin().
  virtual bool begin_schedule() = 0;
  // As start().
  virtual void start_schedule() = 0;
  // An index into `options`; `stay`: how many of them, at the front, go on with the same thread.
  virtual std::size_t choose(const std::vector<Option>& options, std::size_t stay) = 0;
  // The execution has ended by itself.
  virtual void ended() {}
  // What is left out of the options counts as seen: this execution stands for nothing.
  void give_up(End end, Failure failure = {});

  // Equal for two executions exactly if (up to a hash) their graphs are.
  std::uint64_t signature() const;
  const Operation& operation(ThreadId thread) const { return machine_.operation(thread); }
  int preemptions() const { return preemptions_; }
  int decisions() const { return decisions_; }

  // Of the decision that is taken now; see Event.
  int skip_ = 0;

 private:
  struct ThreadState {
    bool waits = false;  // in wait()
    int reads = 0;       // of it
    bool timed_out = false;
    bool overtime = false;  // somebody else timed out while it waited: it looks again
  };
  bool is_enabled(ThreadId thread) const;
  bool is_visible(const Operation& op) const;
  bool has_changed(ThreadId thread) const;
  int newest_place(ObjectId object) const;
  Content content_at(ObjectId object, int place) const;
  void add_options(ThreadId thread);
  void perform(ThreadId thread, const Operation& op, int choice, Result& result);
  ThreadId time_out();

  Machine& machine_;
  Graph<kThreadsMax> graph_;
  std::vector<bool> folded_;      // nodes: reads of a wait that was not over
  std::vector<bool> preempting_;  // nodes
  std::vector<Option> options_;
  ThreadState threads_[kThreadsMax];
  VectorClock<kThreadsMax> start_clocks_[kThreadsMax];
  ThreadId granted_ = -1;
  int granted_choice_ = 0;
  ThreadId last_ = -1;
  bool switched_ = false;
  int preemptions_ = 0;
  int decisions_ = 0;
  bool given_up_ = false;
  std::int64_t now_ns_ = 0;
  End end_ = End::kComplete;
};

// All of them, one by one: slow, and simple enough to be believed.
class BruteForce final : public Schedules {
 public:
  // `preemptions_max` < 0: no bound. A preemption is a switch away from a thread that could go on.
  explicit BruteForce(Machine& machine, int preemptions_max = -1)
      : Schedules(machine), preemptions_max_(preemptions_max) {}

  // Executions that ended by themselves and differ for some observer.
  std::size_t distinct() const { return distinct_.size(); }

 protected:
  bool begin_schedule() override;
  void start_schedule() override;
  std::size_t choose(const std::vector<Option>& options, std::size_t stay) override;
  void ended() override { distinct_.insert(signature()); }

 public:
  void begin_again() override {
    nodes_.clear();
    distinct_.clear();
    started_ = false;
  }

 private:
  struct Node {
    std::size_t options;
    std::size_t taken;
  };
  const int preemptions_max_;
  std::vector<Node> nodes_;
  std::size_t depth_ = 0;
  bool started_ = false;
  std::unordered_set<std::uint64_t> distinct_;
};

// One run, decision by decision. Where a step does not fit, the execution ends with
// FailureKind::kReplayMismatch and says at which step. After the last one the run goes on with the
// lowest thread that can run.
class Replay final : public Schedules {
 public:
  Replay(Machine& machine, std::vector<Step> steps, std::uint32_t signature_mask);

 protected:
  bool begin_schedule() override;
  void start_schedule() override;
  std::size_t choose(const std::vector<Option>& options, std::size_t stay) override;

 public:
  void begin_again() override { started_ = false; }

 private:
  const std::vector<Step> steps_;
  const std::uint32_t signature_mask_;
  std::size_t next_ = 0;
  bool started_ = false;
};

}  // namespace overbite::ordering
