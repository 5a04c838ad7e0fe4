#include "ordering/report/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "ordering/report/timeline_rows.h"
#include "ordering/report/words.h"

namespace overbite::ordering {

namespace {

bool is_lock(const Event& event) {
  return event.op.kind == OpKind::kLock || event.op.kind == OpKind::kUnlock;
}

// A mutex that only one thread takes says nothing.
std::set<ObjectId> private_mutexes(const std::vector<Event>& events) {
  std::map<ObjectId, std::set<ThreadId>> users;
  for (const Event& event : events) {
    if (is_lock(event)) {
      users[event.op.object].insert(event.thread);
    }
  }
  std::set<ObjectId> result;
  for (const auto& [object, threads] : users) {
    if (threads.size() == 1) {
      result.insert(object);
    }
  }
  return result;
}

bool touches_others(const std::vector<Event>& events, std::size_t i) {
  return std::any_of(events.begin(), events.end(), [&](const Event& other) {
    return other.thread != events[i].thread && other.op.object != kNoObject &&
           other.op.object == events[i].op.object && (other.writes || events[i].writes);
  });
}

// Level by level less; the last level keeps everything that is left.
constexpr int kLevels = 4;
bool is_shown(const std::vector<Event>& events,
              std::size_t i,
              int level,
              const std::set<ObjectId>& private_ones) {
  const Event& event = events[i];
  if (event.op.kind == OpKind::kSpawn || event.waits) {
    return true;
  }
  if (event.op.kind == OpKind::kEnd) {
    return false;
  }
  if (level >= 1 && is_lock(event) && private_ones.contains(event.op.object)) {
    return false;
  }
  if (level >= 2 && (is_lock(event) || event.op.kind == OpKind::kJoin)) {
    return false;
  }
  return level < 3 || touches_others(events, i);
}

std::vector<Group> groups_of_level(const Execution& execution,
                                   std::size_t start,
                                   int level,
                                   const std::set<std::size_t>& needed) {
  const std::set<ObjectId> private_ones = private_mutexes(execution.events);
  std::vector<std::size_t> shown;
  for (std::size_t i = start; i < execution.events.size(); ++i) {
    if (needed.contains(i) || is_shown(execution.events, i, level, private_ones)) {
      shown.push_back(i);
    }
  }
  return group_by_call(execution.events, shown, needed);
}

std::size_t row_of(const Timeline& timeline, std::size_t event) {
  for (std::size_t row = 0; row < timeline.rows.size(); ++row) {
    const auto& events = timeline.rows[row].events;
    if (std::find(events.begin(), events.end(), event) != events.end()) {
      return row + 1;
    }
  }
  return 0;
}

std::string sentences(const Explanation& why, const Timeline& timeline, std::size_t start) {
  std::string text;
  for (const Phrase& phrase : why) {
    if (phrase.event < 0) {
      text += phrase.text;
      continue;
    }
    const auto event = static_cast<std::size_t>(phrase.event);
    const std::size_t row = row_of(timeline, event);
    const bool begins = text.empty() || text.ends_with(". ");
    text += row != 0        ? fmt::format("{}ow {}", begins ? "R" : "r", row)
            : event < start ? "what was set up first"
                            : "an earlier step";
  }
  return text;
}

}  // namespace

std::size_t first_shown_event(const std::vector<Event>& events) {
  const auto spawn = std::find_if(events.begin(), events.end(), [](const Event& event) {
    return event.op.kind == OpKind::kSpawn;
  });
  return spawn == events.end() ? 0 : static_cast<std::size_t>(spawn - events.begin());
}

Timeline make_timeline(const History& history, const SourceLookup& lines, const Explanation& why) {
  const Execution& execution = history.execution();
  Timeline timeline;
  for (const ThreadInfo& thread : execution.threads) {
    timeline.columns.push_back(thread.name);
  }
  timeline.failure = failure_words(execution, lines);
  const std::size_t start = first_shown_event(execution.events);
  std::set<std::size_t> needed;
  for (const Phrase& phrase : why) {
    if (phrase.event >= static_cast<int>(start)) {
      needed.insert(static_cast<std::size_t>(phrase.event));
    }
  }
  for (int level = 0; level < kLevels; ++level) {
    const RowMaker maker(history, lines, needed);
    timeline.rows = maker.make(groups_of_level(execution, start, level, needed));
    if (timeline.rows.size() <= kTimelineRowsMax) {
      break;
    }
  }
  if (timeline.rows.size() > kTimelineRowsMax) {
    drop_oldest_rows(timeline.rows, kTimelineRowsMax, needed);
  }
  finish_rows(history, timeline.rows);
  std::size_t shown = 0;
  for (const TimelineRow& row : timeline.rows) {
    shown += row.events.size();
  }
  timeline.left_out = execution.events.size() - shown;
  timeline.why = sentences(why, timeline, start);
  return timeline;
}

}  // namespace overbite::ordering
