// Why an execution fails, in sentences: which two events lack which order.
#pragma once

#include <string>
#include <vector>

#include "ordering/report/history.h"
#include "ordering/report/source_lines.h"

namespace overbite::ordering {

// A piece of a sentence, or the place of an event in the timeline ("row 7").
struct Phrase {
  std::string text;
  int event = -1;  // >= 0: what an event is called goes here
};

using Explanation = std::vector<Phrase>;

// The failure in one line; of a data race, with the source lines of both accesses.
std::string failure_words(const Execution& execution, const SourceLookup& lines);

// - data race: the two accesses, and which memory orders would have ordered them;
// - a value that no interleaving would show: the read, the write that it missed, and the weakest
//   memory orders found with which RC11 forbids this very execution;
// - deadlock: who waits for whom, and the notification that came too early;
// - otherwise, and for a deadlock too: the last pair of events that another order would decide.
// `passes_without_last_switch`: see Shrunk.
Explanation explain(const History& history,
                    const SourceLookup& lines,
                    int passes_without_last_switch);

// --- memory_orders.cc ---
// Which stronger orders, at which places, would have prevented it; empty if none would.
Explanation missing_orders(const History& history, const SourceLookup& lines);

}  // namespace overbite::ordering
