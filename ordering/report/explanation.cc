#include "ordering/report/explanation.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <set>
#include <utility>

#include "ordering/report/words.h"

namespace overbite::ordering {

namespace {

std::string access_words(const Execution& execution,
                         const RaceAccess& access,
                         const SourceLookup& lines) {
  const SourceLine line = lines(access.pc);
  const std::string place = line.short_place();
  return fmt::format("{}{}{}{} by {}{}{}",
                     access.atomic ? "atomic " : "",
                     access.write ? "write" : "read",
                     access.size == 0 ? "" : fmt::format(" of {} bytes", access.size),
                     access.object.empty() ? "" : " of " + access.object,
                     thread_name(execution, access.thread),
                     line.function.empty() ? "" : " in " + line.function,
                     place.empty() ? "" : fmt::format(" ({})", place));
}

constexpr std::size_t kWeakEventsMax = 3;  // that are explained one by one

class Explainer {
 public:
  Explainer(const History& history, const SourceLookup& lines)
      : history_(history),
        lines_(lines),
        execution_(history.execution()),
        events_(history.execution().events) {}

  void race();
  void weak();
  void waits();
  void last_decision(int passes_without_last_switch);
  bool has_weak_events() const { return std::any_of(events_.begin(), events_.end(), &is_weak); }
  Explanation take() { return std::move(out_); }

 private:
  void say(std::string text) { out_.push_back({std::move(text)}); }
  void start_sentence() {
    if (!out_.empty()) {
      say(" ");
    }
  }
  // "row 7 (pool: tail := 2, ring.h:51)", and "row 7" from then on.
  void refer(std::size_t event) {
    out_.push_back({"", static_cast<int>(event)});
    if (!told_.insert(event).second) {
      return;
    }
    const std::string place = lines_(events_[event].op.pc).short_place();
    say(fmt::format(" ({}: {}{})",
                    thread_name(execution_, events_[event].thread),
                    event_words(execution_, events_[event], "", false),
                    place.empty() ? "" : ", " + place));
  }
  void add(Explanation more) {
    start_sentence();
    out_.insert(out_.end(), more.begin(), more.end());
  }
  bool conflict(std::size_t a, std::size_t b) const;
  bool decided_by_a_switch(int passes);
  void pair_that_is_not_forced();
  std::optional<std::size_t> holder_of(ObjectId object) const;
  void wait_of(ThreadId thread, const std::string& what);

  const History& history_;
  const SourceLookup& lines_;
  const Execution& execution_;
  const std::vector<Event>& events_;
  Explanation out_;
  std::set<std::size_t> told_;
};

void Explainer::race() {
  const auto& race = execution_.race;
  if (race.size() != 2) {
    return;
  }
  say("Nothing orders the two accesses: no lock, no join, and no value that one thread released "
      "and the other acquired.");
  if (Explanation orders = missing_orders(history_, lines_); !orders.empty()) {
    add(std::move(orders));
  }
}

void Explainer::weak() {
  std::size_t told = 0;
  for (std::size_t i = 0; i < events_.size() && told < kWeakEventsMax; ++i) {
    const int missed = history_.missed_by(i);
    if (!is_weak(events_[i]) || missed < 0) {
      continue;
    }
    ++told;
    start_sentence();
    refer(i);
    say(events_[i].op.kind == OpKind::kStore ? " is put before the newer " : " does not see ");
    refer(static_cast<std::size_t>(missed));
    say(events_[i].op.kind == OpKind::kStore ? ": no interleaving does that."
                                             : ", which was there already.");
  }
  if (Explanation orders = missing_orders(history_, lines_); !orders.empty()) {
    add(std::move(orders));
  }
}

std::optional<std::size_t> Explainer::holder_of(ObjectId object) const {
  std::optional<std::size_t> taken;
  for (std::size_t i = 0; i < events_.size(); ++i) {
    const Operation& op = events_[i].op;
    if (op.object != object) {
      continue;
    }
    const bool takes = op.kind == OpKind::kLock || op.kind == OpKind::kTryLock ||
                       op.kind == OpKind::kLockShared || op.kind == OpKind::kTryLockShared;
    if (takes && events_[i].succeeded && events_[i].writes) {
      taken = i;
    } else if (op.kind == OpKind::kUnlock || op.kind == OpKind::kUnlockShared) {
      taken.reset();
    }
  }
  return taken;
}

void Explainer::wait_of(ThreadId thread, const std::string& what) {
  start_sentence();
  say(fmt::format("{} waits for {}", thread_name(execution_, thread), what));
  bool notified = false;
  for (ObjectId object = 0; object < execution_.objects.size(); ++object) {
    const std::string& name = execution_.objects[object];
    const std::optional<std::size_t> holder =
        what == "lock of " + name ? holder_of(object) : std::nullopt;
    if (holder) {
      say(fmt::format(", which {} has held since ",
                      thread_name(execution_, events_[*holder].thread)));
      refer(*holder);
    }
    for (std::size_t i = 0; what == "a notification of " + name && i < events_.size(); ++i) {
      const Event& event = events_[i];
      const bool notifies =
          event.op.kind == OpKind::kNotifyOne || event.op.kind == OpKind::kNotifyAll;
      notified = notified || (notifies && event.op.object == object);
      if (notifies && event.op.object == object && std::popcount(event.read.low) == 0) {
        say("; ");
        refer(i);
        say(" came too early: nobody waited");
      }
    }
  }
  say(what.starts_with("a notification of ") && !notified ? "; there was none." : ".");
}

void Explainer::waits() {
  // Who only waits for the end of another waits for what that one waits for.
  const auto joins = [](const ThreadInfo& thread) {
    return thread.waits_for.starts_with("the end of ");
  };
  const bool only_joins = std::all_of(
      execution_.threads.begin(), execution_.threads.end(), [&](const ThreadInfo& thread) {
        return thread.waits_for.empty() || joins(thread);
      });
  for (std::size_t thread = 0; thread < execution_.threads.size(); ++thread) {
    const ThreadInfo& info = execution_.threads[thread];
    if (!info.waits_for.empty() && (only_joins || !joins(info))) {
      wait_of(static_cast<ThreadId>(thread), info.waits_for);
    }
  }
}

bool Explainer::conflict(std::size_t a, std::size_t b) const {
  const Event& first = events_[a];
  const Event& second = events_[b];
  const auto unlocks = [](const Event& event) {
    return event.op.kind == OpKind::kUnlock || event.op.kind == OpKind::kUnlockShared;
  };
  return first.thread != second.thread && first.op.object != kNoObject &&
         first.op.object == second.op.object && (first.writes || second.writes) &&
         !unlocks(first) && !unlocks(second);
}

// The last preemption: what of the others came between which two steps of the preempted thread.
bool Explainer::decided_by_a_switch(int passes) {
  std::size_t at = events_.size();
  while (at > 0 && !events_[at - 1].preempts) {
    --at;
  }
  if (at-- < 2) {
    return false;
  }
  const ThreadId interrupted = events_[at - 1].thread;
  std::size_t back = at;
  while (back < events_.size() && events_[back].thread != interrupted) {
    ++back;
  }
  std::optional<std::pair<std::size_t, std::size_t>> before;  // the interrupted one's is first
  for (std::size_t mine = at; mine-- > 0 && !before;) {
    for (std::size_t other = at; other < back && !before; ++other) {
      if (events_[mine].thread == interrupted && conflict(mine, other)) {
        before = {mine, other};
      }
    }
  }
  std::optional<std::pair<std::size_t, std::size_t>> after;
  for (std::size_t mine = back; mine < events_.size() && !after; ++mine) {
    for (std::size_t other = back; other-- > at && !after;) {
      if (events_[mine].thread == interrupted && conflict(mine, other)) {
        after = {mine, other};
      }
    }
  }
  if (!before && !after) {
    return false;
  }
  start_sentence();
  if (before) {
    refer(before->first);
    say(" comes before ");
    refer(before->second);
  }
  if (after) {
    say(before ? ", and " : "");
    refer(after->second);
    say(before ? " before " : " comes before ");
    refer(after->first);
  }
  if (before && after) {
    say(": nothing keeps ");
    refer(before->first);
    say(" and ");
    refer(after->first);
    say(" together.");
  } else {
    say(": nothing forces that.");
  }
  if (passes >= 0) {
    say(passes == 1 ? " Without this switch the run does not fail."
                    : " Without this switch alone the run still fails.");
  }
  return true;
}

void Explainer::pair_that_is_not_forced() {
  for (std::size_t later = events_.size(); later-- > 0;) {
    for (std::size_t first = later; first-- > 0;) {
      if (conflict(first, later) && !history_.is_forced_before(first, later)) {
        start_sentence();
        refer(first);
        say(" comes before ");
        refer(later);
        say(": nothing forces that.");
        return;
      }
    }
  }
}

void Explainer::last_decision(int passes_without_last_switch) {
  if (!decided_by_a_switch(passes_without_last_switch)) {
    pair_that_is_not_forced();
  }
}

}  // namespace

static std::string memory_words(const Execution& execution, const SourceLookup& lines) {
  std::string words;
  for (const MemorySite& site : execution.sites) {
    const SourceLine line = lines(site.pc);
    const std::string place = line.short_place();
    words += fmt::format("{}{}{}{}",
                         words.empty() ? "" : "; ",
                         site.what,
                         line.function.empty() ? "" : " in " + line.function,
                         place.empty() ? "" : fmt::format(" ({})", place));
  }
  return words;
}

std::string failure_words(const Execution& execution, const SourceLookup& lines) {
  if (!execution.sites.empty()) {
    return memory_words(execution, lines);
  }
  return execution.race.size() != 2
             ? execution.failure.message
             : fmt::format("data race: {}; {}",
                           access_words(execution, execution.race[0], lines),
                           access_words(execution, execution.race[1], lines));
}

Explanation explain(const History& history,
                    const SourceLookup& lines,
                    int passes_without_last_switch) {
  Explainer explainer(history, lines);
  const FailureKind kind = history.execution().failure.kind;
  if (kind == FailureKind::kDataRace) {
    explainer.race();
    return explainer.take();
  }
  if (kind == FailureKind::kDeadlock) {
    explainer.waits();
  }
  if (explainer.has_weak_events()) {
    explainer.weak();
  } else {
    explainer.last_decision(passes_without_last_switch);
  }
  return explainer.take();
}

}  // namespace overbite::ordering
