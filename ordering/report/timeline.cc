#include "ordering/report/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>

namespace overbite::ordering {

namespace {

std::string number(std::uint64_t value) {
  return value < 1'000'000 ? fmt::format("{}", value) : fmt::format("{:#x}", value);
}

const std::string& thread_name(const Execution& execution, int thread) {
  return execution.threads[static_cast<std::size_t>(thread)].name;
}

std::string datagram(const Event& event, const Execution& execution) {
  const QueueState queue = queue_state(event.read);
  const std::uint32_t wanted = (event.op.kind == OpKind::kSend ? queue.sent : queue.received) + 1;
  for (const DatagramText& text : execution.datagrams) {
    if (text.queue == event.op.object && text.number == wanted) {
      return text.text;
    }
  }
  return fmt::format("#{}", wanted);
}

std::string loaded(const Event& event, const std::string& object) {
  return event.skipped == 0
             ? fmt::format("{} = {}", object, number(event.read.low))
             : fmt::format("{} = {}, {} newer", object, number(event.read.low), event.skipped);
}

std::string words_of_lock(const Event& event, const std::string& object) {
  switch (event.op.kind) {
    case OpKind::kLock:
      return (event.waits ? "waits for lock of " : "lock ") + object;
    case OpKind::kLockShared:
      return (event.waits ? "waits for shared lock of " : "lock shared ") + object;
    case OpKind::kTryLock:
    case OpKind::kTryLockShared:
      return fmt::format("try lock {}: {}", object, event.succeeded ? "taken" : "busy");
    case OpKind::kUnlock:
    case OpKind::kUnlockShared:
      return "unlock " + object;
    case OpKind::kQueue:
      return "wait on " + object;
    case OpKind::kWake:
      return (event.waits ? "waits for notification of " : "woken on ") + object;
    case OpKind::kLeave:
      return "times out on " + object;
    case OpKind::kNotifyOne:
    case OpKind::kNotifyAll:
      return fmt::format("notify {}, {} waiting", object, std::popcount(event.read.low));
    default:
      return object;
  }
}

std::string words_of_descriptor(const Event& event,
                                const std::string& object,
                                const Execution& execution) {
  switch (event.op.kind) {
    case OpKind::kSend:
      return event.succeeded ? fmt::format("send {} to {}", datagram(event, execution), object)
                             : fmt::format("send to {}: full", object);
    case OpKind::kReceive:
      return event.succeeded ? fmt::format("receive {} at {}", datagram(event, execution), object)
                             : fmt::format("receive at {}: empty", object);
    case OpKind::kAdd:
      return "write " + object;
    case OpKind::kTake:
      return event.succeeded ? fmt::format("read {} = {}", object, number(event.read.low))
                             : fmt::format("read {}: empty", object);
    case OpKind::kPoll:
      return event.succeeded ? "poll: " + object + " is ready" : "poll " + object + ": nothing";
    case OpKind::kCloseReading:
    case OpKind::kCloseWriting:
      return "close " + object;
    default:
      return object;
  }
}

std::string words(const Event& event, const Execution& execution) {
  const Operation& op = event.op;
  const std::string object =
      op.object < execution.objects.size() ? execution.objects[op.object] : std::string();
  switch (op.kind) {
    case OpKind::kLoad:
      return loaded(event, object);
    case OpKind::kStore:
      return event.skipped == 0
                 ? fmt::format("{} := {}", object, number(event.written.low))
                 : fmt::format(
                       "{} := {}, behind {}", object, number(event.written.low), event.skipped);
    case OpKind::kRmw:
      return fmt::format("{} {} -> {}", object, number(event.read.low), number(event.written.low));
    case OpKind::kCas:
      return event.succeeded
                 ? fmt::format(
                       "{} {} -> {}", object, number(event.read.low), number(event.written.low))
                 : fmt::format("{}, not {}", loaded(event, object), number(op.expected.low));
    case OpKind::kFence:
      return "fence";
    case OpKind::kArrive:
      return "arrive at " + object;
    case OpKind::kPass:
      return (event.waits ? "waits at " : "pass ") + object;
    case OpKind::kOnceBegin:
      return (event.succeeded ? "begin " : "done: ") + object;
    case OpKind::kOnceEnd:
      return "end " + object;
    case OpKind::kSpawn:
      return "start " + thread_name(execution, event.choice);
    case OpKind::kEnd:
      return "ends";
    case OpKind::kJoin:
      return "joined " + thread_name(execution, op.other);
    case OpKind::kTimeout:
      return "times out";
    case OpKind::kChoose:
      return fmt::format("choose {} of {}", event.choice, op.choices);
    default:
      return op.kind <= OpKind::kLeave ? words_of_lock(event, object)
                                       : words_of_descriptor(event, object, execution);
  }
}

bool is_read(const Event& event) {
  return event.op.kind == OpKind::kLoad || (event.op.kind == OpKind::kCas && !event.succeeded);
}
bool is_lock(const Event& event) {
  return event.op.kind == OpKind::kLock || event.op.kind == OpKind::kUnlock;
}
bool is_thread_step(const Event& event) {
  return event.op.kind == OpKind::kSpawn || event.op.kind == OpKind::kEnd ||
         event.op.kind == OpKind::kJoin;
}

// Events that share a row: indices into the execution, in order.
using Group = std::vector<std::size_t>;

std::vector<Group> group_by_call(const std::vector<Event>& events,
                                 const std::vector<std::size_t>& shown) {
  std::vector<Group> groups;
  for (const std::size_t i : shown) {
    if (!groups.empty()) {
      const Event& previous = events[groups.back().back()];
      const bool same_call = previous.thread == events[i].thread && previous.op.frame != 0 &&
                             previous.op.frame == events[i].op.frame && !is_thread_step(previous) &&
                             !is_thread_step(events[i]);
      if (same_call) {
        groups.back().push_back(i);
        continue;
      }
    }
    groups.push_back({i});
  }
  return groups;
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

std::vector<std::size_t> after_setup(const std::vector<Event>& events) {
  std::size_t start = 0;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i].op.kind == OpKind::kSpawn) {
      start = i;
      break;
    }
  }
  std::vector<std::size_t> shown;
  for (std::size_t i = start; i < events.size(); ++i) {
    shown.push_back(i);
  }
  return shown;
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

std::string row_text(const Group& group, const Execution& execution, const std::string& function) {
  const auto& events = execution.events;
  const bool only_reads =
      std::all_of(group.begin(), group.end(), [&](std::size_t i) { return is_read(events[i]); });
  std::string text;
  std::string previous;
  for (std::size_t k = 0; k < group.size(); ++k) {
    const Event& event = events[group[k]];
    if (is_read(event) && (only_reads ? k + 1 != group.size() : true) && group.size() > 1) {
      continue;  // what a call read shows in what it wrote, or in where it stopped
    }
    const std::string next = words(event, execution);
    if (next != previous) {
      text += (text.empty() ? "" : "; ") + next;
    }
    previous = next;
  }
  return function.empty() ? text : function + ": " + text;
}

// Why `now` runs after `before`.
std::string switch_note(const Execution& execution, const Event& before, const Event& now) {
  if (before.thread == now.thread) {
    return {};
  }
  if (is_thread_step(now)) {
    return {};
  }
  const ThreadInfo& last = execution.threads[static_cast<std::size_t>(before.thread)];
  const bool goes_on = std::any_of(
      &before + 1, execution.events.data() + execution.events.size(), [&](const Event& later) {
        return later.thread == before.thread;
      });
  const bool waits = goes_on || !last.waits_for.empty();
  return fmt::format("{} {}", last.name, now.preempts ? "is preempted" : waits ? "waits" : "ended");
}

std::vector<TimelineRow> make_rows(const Execution& execution,
                                   const std::vector<Group>& groups,
                                   const std::function<std::string(const void*)>& function_name) {
  std::vector<TimelineRow> rows;
  const Event* before = nullptr;
  for (const Group& group : groups) {
    const Event& first = execution.events[group.front()];
    TimelineRow row;
    row.thread = first.thread;
    const bool named = first.op.frame != 0 && !is_thread_step(first);
    row.text = row_text(group, execution, named ? function_name(first.op.pc) : std::string());
    row.note = before != nullptr ? switch_note(execution, *before, first) : std::string();
    before = &execution.events[group.back()];
    if (!rows.empty() && rows.back().thread == row.thread && rows.back().text == row.text) {
      continue;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

Timeline make_timeline(const Execution& execution,
                       const std::function<std::string(const void*)>& function_name) {
  Timeline timeline;
  for (const ThreadInfo& thread : execution.threads) {
    timeline.columns.push_back(thread.name);
  }
  timeline.why = execution.failure.message;
  const auto& events = execution.events;
  const std::vector<std::size_t> all = after_setup(events);
  const std::set<ObjectId> private_ones = private_mutexes(events);
  for (int level = 0; level < kLevels; ++level) {
    std::vector<std::size_t> shown;
    for (const std::size_t i : all) {
      if (is_shown(events, i, level, private_ones)) {
        shown.push_back(i);
      }
    }
    timeline.rows = make_rows(execution, group_by_call(events, shown), function_name);
    timeline.left_out = events.size() - shown.size();
    if (timeline.rows.size() <= kTimelineRowsMax) {
      return timeline;
    }
  }
  const std::size_t surplus = timeline.rows.size() - kTimelineRowsMax;
  timeline.left_out += surplus;
  timeline.rows.erase(timeline.rows.begin(),
                      timeline.rows.begin() + static_cast<std::ptrdiff_t>(surplus));
  return timeline;
}

}  // namespace overbite::ordering
