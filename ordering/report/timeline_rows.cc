#include "ordering/report/timeline_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "ordering/report/words.h"

namespace overbite::ordering {

namespace {

constexpr std::size_t kPeriodMax = 4;  // rows of one turn of a loop that is folded

bool is_thread_step(const Event& event) {
  return event.op.kind == OpKind::kSpawn || event.op.kind == OpKind::kEnd ||
         event.op.kind == OpKind::kJoin;
}

// await() reads the same atomics once more when one of them has changed.
bool is_looked_at_again(const Execution& execution, std::size_t before, std::size_t now) {
  const Event& first = execution.events[before];
  const Event& second = execution.events[now];
  return is_read(first) && second.op.kind == OpKind::kLoad && first.op.pc == second.op.pc &&
         first.op.object == second.op.object;
}

// Why `thread` does not go on behind event `at`, when it was not preempted.
std::string reason_to_stop(const Execution& execution, ThreadId thread, std::size_t at) {
  const std::string& name = thread_name(execution, thread);
  for (std::size_t i = at + 1; i < execution.events.size(); ++i) {
    const Event& next = execution.events[i];
    if (next.thread != thread) {
      continue;
    }
    if (next.op.kind == OpKind::kEnd) {
      return name + " ended";
    }
    const bool waited = !is_atomic(next.op.kind) || is_looked_at_again(execution, at, i);
    const std::string what = waited ? waiting_words(execution, next) : std::string();
    return what.empty() ? name + " is preempted" : fmt::format("{} waits for {}", name, what);
  }
  const std::string& waits_for = execution.threads[static_cast<std::size_t>(thread)].waits_for;
  return waits_for.empty() ? name + " ended" : fmt::format("{} waits for {}", name, waits_for);
}

bool is_same_turn(const TimelineRow& a, const TimelineRow& b) {
  return a.thread == b.thread && a.function == b.function && a.text == b.text &&
         a.place == b.place && !a.waits && !b.waits;
}

// How often the `period` rows at `begin` come in a row.
std::size_t turns(const std::vector<TimelineRow>& rows, std::size_t begin, std::size_t period) {
  std::size_t count = 1;
  const ThreadId thread = rows[begin].thread;
  for (std::size_t i = begin; i < std::min(begin + period, rows.size()); ++i) {
    if (rows[i].thread != thread) {
      return 1;
    }
  }
  for (std::size_t i = begin + period; i < rows.size(); ++i) {
    if (!is_same_turn(rows[i], rows[i - period])) {
      break;
    }
    count = (i - begin + 1) / period;
  }
  return count;
}

std::vector<TimelineRow> folded(std::vector<TimelineRow> rows) {
  std::vector<TimelineRow> result;
  for (std::size_t i = 0; i < rows.size();) {
    std::size_t period = 1;
    std::size_t times = 1;
    for (std::size_t p = 1; p <= kPeriodMax && i + p <= rows.size() && times == 1; ++p) {
      times = turns(rows, i, p);
      period = p;
    }
    period = times == 1 ? 1 : period;
    for (std::size_t k = 0; k < period; ++k) {
      TimelineRow row = std::move(rows[i + k]);
      for (std::size_t turn = 1; turn < times; ++turn) {
        const auto& more = rows[i + turn * period + k].events;
        row.events.insert(row.events.end(), more.begin(), more.end());
      }
      if (k + 1 == period) {
        row.times = times;
        row.period = period;
      }
      result.push_back(std::move(row));
    }
    i += period * times;
  }
  return result;
}

std::size_t row_of(const std::vector<TimelineRow>& rows, std::size_t event) {
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const auto& events = rows[row].events;
    if (std::find(events.begin(), events.end(), event) != events.end()) {
      return row + 1;
    }
  }
  return 0;
}

// What the words of several events make, without repeating itself.
template <typename Words>
std::string joined(const std::vector<std::size_t>& events, const Words& words) {
  std::string text;
  std::string previous;
  for (const std::size_t i : events) {
    std::string next = words(i);
    if (next != previous) {
      text += (text.empty() ? "" : "; ") + next;
    }
    previous = std::move(next);
  }
  return text;
}

// "ring.h:51,56; lane.cc:3"
void add_place(std::string& places, const std::string& place) {
  const std::size_t last = places.rfind(' ') + 1;  // npos + 1 is 0
  const std::size_t file = places.substr(last).find(':');
  const std::string same_file = file == std::string::npos ? "" : places.substr(last, file + 1);
  if (places.empty()) {
    places = place;
  } else if (!same_file.empty() && place.starts_with(same_file)) {
    const std::string line = place.substr(same_file.size());
    if (!places.ends_with(":" + line) && !places.ends_with("," + line)) {
      places += "," + line;
    }
  } else if (!place.empty()) {
    places += "; " + place;
  }
}

bool has_an_origin(const Event& event) {
  const bool atomic = is_atomic(event.op.kind) && event.op.kind != OpKind::kStore;
  return atomic || (event.op.kind == OpKind::kReceive && event.succeeded);
}

std::string weak_words(const Event& event) {
  if (!is_weak(event)) {
    return {};
  }
  return event.op.kind == OpKind::kStore ? fmt::format("placed before {}", event.skipped)
                                         : fmt::format("stale: {} newer", event.skipped);
}

struct Origin {
  std::size_t row = 0;  // from 1; 0: none
  std::string words;
};

// Where the value that an event read was written.
Origin origin_of(const History& history,
                 const std::vector<TimelineRow>& rows,
                 std::size_t index,
                 std::size_t start) {
  const Execution& execution = history.execution();
  const Event& event = execution.events[index];
  if (!has_an_origin(event)) {
    return {};
  }
  const int source = history.source_of(index);
  if (source < static_cast<int>(start)) {
    return {0, "initial"};
  }
  const auto from = static_cast<std::size_t>(source);
  if (const std::size_t row = row_of(rows, from); row != 0) {
    return {row, fmt::format("row {}", row)};
  }
  const ThreadId writer = execution.events[from].thread;
  return {0,
          writer == event.thread ? std::string()
                                 : fmt::format("by {}, not shown", thread_name(execution, writer))};
}

}  // namespace

std::string switch_note(const Execution& execution, std::size_t before, std::size_t now) {
  const auto& events = execution.events;
  const ThreadId last = events[before].thread;
  if (last == events[now].thread || is_thread_step(events[now])) {
    return {};
  }
  std::size_t left = before;  // the last step of that thread until now
  for (std::size_t i = before; i < now; ++i) {
    left = events[i].thread == last ? i : left;
  }
  for (std::size_t i = left + 1; i <= now; ++i) {
    if (events[i].thread != last) {
      if (events[i].preempts) {
        return thread_name(execution, last) + " is preempted";
      }
      break;
    }
  }
  return events[left].op.kind == OpKind::kEnd ? thread_name(execution, last) + " ended"
                                              : reason_to_stop(execution, last, left);
}

std::vector<Group> group_by_call(const std::vector<Event>& events,
                                 const std::vector<std::size_t>& shown,
                                 const std::set<std::size_t>& needed) {
  std::vector<Group> groups;
  for (const std::size_t i : shown) {
    if (!groups.empty()) {
      const Event& previous = events[groups.back().back()];
      const bool same_call = previous.thread == events[i].thread && previous.op.frame != 0 &&
                             previous.op.frame == events[i].op.frame && !is_thread_step(previous) &&
                             !is_thread_step(events[i]) && !needed.contains(i) &&
                             !needed.contains(groups.back().back());
      if (same_call) {
        groups.back().push_back(i);
        continue;
      }
    }
    groups.push_back({i});
  }
  return groups;
}

// What a call read shows in what it wrote, or in where it stopped.
std::vector<std::size_t> RowMaker::told(const Group& group) const {
  const auto& events = history_.execution().events;
  const bool only_reads =
      std::all_of(group.begin(), group.end(), [&](std::size_t i) { return is_read(events[i]); });
  std::vector<std::size_t> result;
  for (const std::size_t i : group) {
    const bool last_word = only_reads && i == group.back();
    if (!is_read(events[i]) || is_weak(events[i]) || needed_.contains(i) || last_word) {
      result.push_back(i);
    }
  }
  return result;
}

TimelineRow RowMaker::row_for(const Group& group) const {
  const Execution& execution = history_.execution();
  const Event& first = execution.events[group.front()];
  TimelineRow row;
  row.thread = first.thread;
  row.events = group;
  if (first.op.frame != 0 && !is_thread_step(first)) {
    row.function = lines_(first.op.pc).function;
  }
  row.told = told(group);
  row.text = joined(row.told, [&](std::size_t i) {
    return event_words(execution, execution.events[i], "", false);
  });
  for (const std::size_t i : row.told) {
    row.weak = row.weak || is_weak(execution.events[i]);
    add_place(row.place, lines_(execution.events[i].op.pc).short_place());
  }
  return row;
}

std::vector<TimelineRow> RowMaker::make(const std::vector<Group>& groups) const {
  const Execution& execution = history_.execution();
  std::vector<TimelineRow> rows;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    rows.push_back(row_for(groups[i]));
    if (i > 0) {
      rows.back().note = switch_note(execution, groups[i - 1].back(), groups[i].front());
    }
  }
  rows = folded(std::move(rows));
  for (std::size_t thread = 0; thread < execution.threads.size(); ++thread) {
    const std::string& what = execution.threads[thread].waits_for;
    const bool blocked = execution.failure.kind == FailureKind::kDeadlock && !what.empty();
    if (blocked) {
      TimelineRow row;
      row.thread = static_cast<ThreadId>(thread);
      row.text = "waits for " + what;
      row.waits = true;
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

void drop_oldest_rows(std::vector<TimelineRow>& rows,
                      std::size_t rows_max,
                      const std::set<std::size_t>& needed) {
  for (auto row = rows.begin(); rows.size() > rows_max && row != rows.end();) {
    const bool keep = row->waits || row->period > 1 ||
                      std::any_of(row->events.begin(), row->events.end(), [&](std::size_t event) {
                        return needed.contains(event);
                      });
    row = keep ? row + 1 : rows.erase(row);
  }
}

void finish_rows(const History& history, std::vector<TimelineRow>& rows) {
  const Execution& execution = history.execution();
  const auto& events = execution.events;
  const std::size_t start = first_shown_event(events);
  const bool orders = std::any_of(events.begin(), events.end(), &is_weak) ||
                      execution.failure.kind == FailureKind::kDataRace;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    TimelineRow& row = rows[r];
    if (row.waits) {
      continue;
    }
    row.text = joined(row.told, [&](std::size_t i) {
      const Origin origin = origin_of(history, rows, i, start);
      if (origin.row != 0 && origin.row != r + 1 &&
          std::find(row.from.begin(), row.from.end(), origin.row) == row.from.end()) {
        row.from.push_back(origin.row);
      }
      // What comes from the row before needs no words.
      const bool near = origin.row == r || origin.row == r + 1;
      std::string note = near && origin.row != 0 ? std::string() : origin.words;
      if (const std::string more = weak_words(events[i]); !more.empty()) {
        note += (note.empty() ? "" : "; ") + more;
      }
      return event_words(execution, events[i], note, orders);
    });
  }
}

}  // namespace overbite::ordering
