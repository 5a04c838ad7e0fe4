// The parts of make_timeline() (timeline.h).
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "ordering/report/timeline.h"

namespace overbite::ordering {

// Events that share a row: indices into the execution, in order.
using Group = std::vector<std::size_t>;

// Where the body starts its first thread: what is before is setting up.
std::size_t first_shown_event(const std::vector<Event>& events);

// An event that is needed (see below) is a group of its own.
std::vector<Group> group_by_call(const std::vector<Event>& events,
                                 const std::vector<std::size_t>& shown,
                                 const std::set<std::size_t>& needed);

// Why `now` runs after `before`, of the same or of another thread; empty if there is nothing to
// say. What was in between is not shown.
std::string switch_note(const Execution& execution, std::size_t before, std::size_t now);

class RowMaker {
 public:
  // `needed`: events that no row may hide.
  RowMaker(const History& history, const SourceLookup& lines, const std::set<std::size_t>& needed)
      : history_(history), lines_(lines), needed_(needed) {}

  // A row for each group, repeated ones folded, and the waits at the end. No values' origins yet.
  std::vector<TimelineRow> make(const std::vector<Group>& groups) const;

 private:
  std::vector<std::size_t> told(const Group& group) const;
  TimelineRow row_for(const Group& group) const;

  const History& history_;
  const SourceLookup& lines_;
  const std::set<std::size_t>& needed_;
};

// Rows that hold nothing needed, from the front.
void drop_oldest_rows(std::vector<TimelineRow>& rows,
                      std::size_t rows_max,
                      const std::set<std::size_t>& needed);

// Texts with the origins of values, and `from`, once it is known which rows there are.
void finish_rows(const History& history, std::vector<TimelineRow>& rows);

}  // namespace overbite::ordering
