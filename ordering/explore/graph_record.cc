#include "ordering/explore/graph_record.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace overbite::ordering {

namespace {

template <int Lanes>
void record_in(const Graph<Lanes>& graph, const std::vector<NodeId>& order, Execution& execution) {
  std::vector<int> event_of(static_cast<std::size_t>(graph.size()), -1);
  std::map<ObjectId, std::vector<int>> written;  // places so far
  for (const NodeId id : order) {
    const auto& node = graph[id];
    if (node.looked) {
      continue;
    }
    if (node.write && node.read) {
      // The second half of the event before.
      Event& event = execution.events[static_cast<std::size_t>(
          event_of[static_cast<std::size_t>(graph.at(node.thread, node.position - 1))])];
      event.written = node.content;
      event.writes = true;
      event_of[static_cast<std::size_t>(id)] =
          event_of[static_cast<std::size_t>(graph.at(node.thread, node.position - 1))];
      written[node.op.object].push_back(graph.place_of(id, node.op.object));
      continue;
    }
    Event event;
    event.op = node.op;
    event.thread = node.thread;
    event.position = node.position;
    event.succeeded = node.succeeded;
    event.waits = node.waits_on != 0;
    event.choice = node.choice;
    if (node.read || node.write) {
      auto& places = written[node.op.object];
      const int place = graph.place_of(node.write ? id : node.source, node.op.object);
      event.skipped = static_cast<int>(std::count_if(
          places.begin(), places.end(), [place](int other) { return other > place; }));
      if (node.write) {
        event.written = node.content;
        event.writes = true;
        places.push_back(place);
      } else {
        event.read = node.content;
        event.source =
            node.source == kInitial ? -1 : event_of[static_cast<std::size_t>(node.source)];
      }
    }
    event_of[static_cast<std::size_t>(id)] = static_cast<int>(execution.events.size());
    execution.events.push_back(event);
  }
}

}  // namespace

template <int Lanes>
void record_graph(const Graph<Lanes>& graph, Execution& execution) {
  record_in(graph, graph.in_order(), execution);
}

void record_nodes(const Graph<kThreadsMax>& graph, Execution& execution) {
  std::vector<NodeId> order(static_cast<std::size_t>(graph.size()));
  std::iota(order.begin(), order.end(), 0);
  record_in(graph, order, execution);
}

template void record_graph(const Graph<8>&, Execution&);
template void record_graph(const Graph<kThreadsMax>&, Execution&);

}  // namespace overbite::ordering
