// Every schedule, one by one: slow, and simple enough to be believed. The oracle for the others.
#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "ordering/explore/strategy.h"
#include "ordering/explore/trace_order.h"

namespace overbite::ordering {

class BruteForce final : public Strategy {
 public:
  // `preemptions_max` < 0: no bound. A preemption is a switch away from a thread that could go on.
  explicit BruteForce(int preemptions_max = -1) : preemptions_max_(preemptions_max) {}

  bool begin() override;
  Choice choose(const StepView& view) override;
  void ended(const StepView& view, End end) override;

  // Executions that ended by themselves and differ for some observer.
  std::size_t distinct() const { return distinct_.size(); }

 private:
  struct Option {
    ThreadId thread;
    int variant;
  };
  struct Node {
    std::vector<Option> options;
    std::size_t taken = 0;
  };
  Node make_node(const StepView& view) const;

  const int preemptions_max_;
  std::vector<Node> nodes_;
  std::size_t depth_ = 0;
  int preemptions_ = 0;
  bool started_ = false;
  TraceOrder order_;
  std::unordered_set<std::uint64_t> distinct_;
};

}  // namespace overbite::ordering
