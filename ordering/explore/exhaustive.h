// Every execution that differs for some observer, under sequential consistency, and few others:
// source-DPOR with sleep sets (Abdulla, Aronis, Jonsson and Sagonas, POPL 2014, algorithm 1).
#pragma once

#include <vector>

#include "ordering/explore/strategy.h"
#include "ordering/explore/trace_order.h"

namespace overbite::ordering {

class Exhaustive final : public Strategy {
 public:
  bool begin() override;
  Choice choose(const StepView& view) override;
  void ended(const StepView& view, End end) override;

 private:
  struct Node {
    ThreadMask enabled = 0;
    ThreadMask sleep = 0;      // explored from here by an equivalent earlier execution
    ThreadMask backtrack = 0;  // must be explored from here, done or not
    ThreadMask done = 0;
    ThreadMask sleep_below = 0;  // of the next node, for the choice that is taken now
    ThreadId thread = -1;
    int variant = 0;
    int variants = 1;
    std::uint32_t signature = 0;
    std::size_t events = 0;  // before it
  };

  void absorb(const StepView& view);
  void reverse(const StepView& view, const TraceOrder::Race& race);
  void reverse_to_enabled(const StepView& view,
                          ThreadId thread,
                          int second,
                          const Footprint& footprint);
  ThreadMask initials(
      const StepView& view, int first, int second, ThreadId thread, const VectorClock& clock) const;
  void require_one_of(Node& node, ThreadMask initials, ThreadId preferred);
  void push_node(const StepView& view);
  void fall_asleep(const StepView& view, Node& node) const;

  std::vector<Node> nodes_;
  TraceOrder order_;
  std::vector<TraceOrder::Race> races_;
  std::size_t depth_ = 0;
  std::size_t replayed_ = 0;  // nodes whose choice was fixed when the execution began
  bool started_ = false;
};

}  // namespace overbite::ordering
