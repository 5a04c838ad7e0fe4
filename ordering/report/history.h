// What the events of an execution are to each other: its graph again, from what was recorded.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "ordering/explore/graph.h"
#include "ordering/runtime/operation.h"

namespace overbite::ordering {

class History {
 public:
  // The operation as it was, or as it might have been: with other memory orders.
  using Change = std::function<Operation(const Operation& op)>;

  // `execution` must outlive this.
  explicit History(const Execution& execution, const Change& change = {});

  const Execution& execution() const { return *execution_; }
  // The event that the value comes from; of a datagram, its send. -1: no event, or nothing read.
  int source_of(std::size_t event) const { return sources_[event]; }
  // Of a weak event (words.h): the next newer write that it did not see, or was put before; else
  // -1.
  int missed_by(std::size_t event) const { return missed_[event]; }
  bool happens_before(std::size_t event, std::size_t later) const;
  // Whether `event` comes before `later` whatever their objects' orders are: through the program,
  // or through something in between.
  bool is_forced_before(std::size_t event, std::size_t later) const;
  // Of a data race: the later access does not know of the earlier one.
  bool is_race_unordered() const;
  // Whether RC11 allows it. An interleaving always is.
  bool is_consistent() const { return consistent_; }

 private:
  void add(std::size_t index, const Operation& op);
  void add_access(std::size_t index, const Operation& op);
  void find_source(std::size_t index);
  Content initial_of(const Event& event) const;

  const Execution* execution_;
  Graph<kThreadsMax> graph_;
  bool consistent_ = true;
  std::vector<NodeId> node_of_;   // the first one of an event
  std::vector<NodeId> write_of_;  // the one that writes, or kInitial
  std::vector<int> sources_;
  std::vector<int> missed_;
};

// As a string of decisions needs it: without calls that came to nothing because they had to wait.
std::vector<Event> replayable_events(const std::vector<Event>& events);

}  // namespace overbite::ordering
