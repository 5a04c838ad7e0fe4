// A failing execution as a table: a column for each thread, a row for each event, downwards in
// time.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "ordering/runtime/operation.h"

namespace overbite::ordering {

struct TimelineRow {
  ThreadId thread = 0;
  std::string text;
  std::string note;  // why another thread runs from here on; empty if it is the same
};

struct Timeline {
  std::vector<std::string> columns;
  std::vector<TimelineRow> rows;
  std::size_t left_out = 0;  // events that no row shows
  std::string why;           // the failure
};

inline constexpr std::size_t kTimelineRowsMax = 25;

// At most kTimelineRowsMax rows. Never shown: plain accesses, and what the body does before it
// starts its first thread. Steps of one call without another thread in between share a row. If it
// is still too long, what goes next is, in this order: locks nobody waited for, calls that only
// read, calls that touch nothing another thread touches, the oldest rows.
// `function_name` turns Operation::pc into words.
Timeline make_timeline(const Execution& execution,
                       const std::function<std::string(const void*)>& function_name);

// Plain text, lines end in '\n'. `colour`: ANSI, for a terminal.
std::string to_text(const Timeline& timeline, bool colour);

}  // namespace overbite::ordering
