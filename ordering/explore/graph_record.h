// A graph as a sequence of events.
#pragma once

#include "ordering/explore/graph.h"

namespace overbite::ordering {

// In an order that an interleaving could have had, where there is one.
template <int Lanes>
void record_graph(const Graph<Lanes>& graph, Execution& execution);

// In the order in which the nodes were added.
void record_nodes(const Graph<kThreadsMax>& graph, Execution& execution);

}  // namespace overbite::ordering
