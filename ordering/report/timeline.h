// A failing execution as a table: a column for each thread, a row for each call, downwards in
// time, and under it why it fails.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ordering/report/explanation.h"
#include "ordering/report/history.h"
#include "ordering/report/source_lines.h"
#include "ordering/runtime/operation.h"

namespace overbite::ordering {

struct TimelineRow {
  ThreadId thread = 0;
  std::string function;  // that the steps belong to; empty if they are not of one call
  std::string text;
  std::string place;       // "ring.h:51"; empty: not known
  std::string note;        // why another thread runs from here on; empty if it is the same
  std::size_t times = 1;   // how often the last `period` rows happened in a row
  std::size_t period = 1;  // of a fold: set on its last row
  bool waits = false;      // no event: what the thread waits for at the end
  bool weak = false;       // it reads an old value, or comes before what was written already
  std::vector<std::size_t> events;  // indices into Execution::events, folded ones included
  std::vector<std::size_t> told;    // those that `text` speaks of
  std::vector<std::size_t> from;    // rows (from 1) that its values come from, the one before too
};

struct Timeline {
  std::vector<std::string> columns;
  std::vector<TimelineRow> rows;
  std::size_t left_out = 0;  // events that no row shows
  std::string failure;       // what was found
  std::string why;           // which order is lacking; may be empty
};

inline constexpr std::size_t kTimelineRowsMax = 25;

// At most kTimelineRowsMax rows. Never shown: plain accesses, and what the body does before it
// starts its first thread. Always: what `why` speaks of. Steps of one call without another thread
// in between share a row, and rows that repeat are folded. If it is still too long, what goes next
// is, in this order: locks nobody waited for, calls that only read, calls that touch nothing
// another thread touches, the oldest rows.
Timeline make_timeline(const History& history, const SourceLookup& lines, const Explanation& why);

// Plain text, lines end in '\n'. `colour`: ANSI, for a terminal.
std::string to_text(const Timeline& timeline, bool colour);

}  // namespace overbite::ordering
