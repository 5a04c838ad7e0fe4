#include "ordering/report/report_json.h"

#include "ordering/report/timeline_rows.h"
#include "ordering/report/words.h"

namespace overbite::ordering {

namespace {

using nlohmann::json;

const char* failure_word(FailureKind kind) {
  switch (kind) {
    case FailureKind::kNone:
      return "none";
    case FailureKind::kRequirement:
      return "requirement";
    case FailureKind::kDeadlock:
      return "deadlock";
    case FailureKind::kDataRace:
      return "data_race";
    case FailureKind::kCrash:
      return "crash";
    case FailureKind::kMemory:
      return "memory";
    case FailureKind::kUnmodelled:
      return "not_modelled";
    case FailureKind::kReplayMismatch:
      return "replay_mismatch";
    case FailureKind::kNotDeterministic:
      return "not_deterministic";
  }
  return "?";
}

json index_or_null(int index) { return index < 0 ? json() : json(index); }

void add_source(json& entry, const SourceLine& line) {
  entry["function"] = line.function.empty() ? json() : json(line.function);
  entry["file"] = line.file.empty() ? json() : json(line.file);
  entry["line"] = line.file.empty() ? json() : json(line.line);
}

// Both halves of a content; the high one only where it is used.
json content_json(const Content& content) {
  return content.high == 0 ? json(content.low) : json({content.low, content.high});
}

json event_json(const History& history, const SourceLookup& lines, std::size_t index) {
  const Execution& execution = history.execution();
  const Event& event = execution.events[index];
  const bool object = event.op.object != kNoObject;
  const bool reads = reads_an_object(event.op.kind) && event.op.kind != OpKind::kStore;
  const std::string order = order_word(event);
  json entry = {{"thread", event.thread},
                {"kind", kind_word(event.op.kind)},
                {"object", object ? json(event.op.object) : json()},
                {"text", event_words(execution, event, "", true)},
                {"order", order.empty() ? json() : json(order)},
                {"succeeded", event.succeeded},
                {"read", reads ? content_json(event.read) : json()},
                {"written", event.writes ? content_json(event.written) : json()},
                {"source", index_or_null(history.source_of(index))},
                {"skipped", is_weak(event) ? event.skipped : 0},
                {"missed", index_or_null(history.missed_by(index))},
                {"choice", event.choice},
                {"waits", event.waits}};
  const std::string note = index == 0 ? std::string() : switch_note(execution, index - 1, index);
  entry["switch"] = note.empty() ? json() : json(note);
  add_source(entry, lines(event.op.pc));
  return entry;
}

json row_json(const TimelineRow& row) {
  return {{"thread", row.thread},
          {"function", row.function.empty() ? json() : json(row.function)},
          {"text", row.text},
          {"place", row.place.empty() ? json() : json(row.place)},
          {"note", row.note.empty() ? json() : json(row.note)},
          {"times", row.times},
          {"period", row.period},
          {"waits", row.waits},
          {"weak", row.weak},
          {"events", row.events},
          {"from", row.from}};
}

json race_json(const RaceAccess& access, const SourceLookup& lines) {
  json entry = {{"thread", access.thread},
                {"write", access.write},
                {"atomic", access.atomic},
                {"size", access.size == 0 ? json() : json(access.size)},
                {"object", access.object.empty() ? json() : json(access.object)}};
  add_source(entry, lines(access.pc));
  return entry;
}

}  // namespace

json failure_json(const History& history, const SourceLookup& lines, const Timeline& timeline) {
  const Execution& execution = history.execution();
  json out = {{"kind", failure_word(execution.failure.kind)},
              {"message", timeline.failure},
              {"thread", index_or_null(execution.failed_thread)},
              {"why", timeline.why},
              {"left_out", timeline.left_out},
              {"objects", execution.objects}};
  for (const char* list : {"threads", "race", "events", "rows"}) {
    out[list] = json::array();
  }
  for (const ThreadInfo& thread : execution.threads) {
    out["threads"].push_back(
        {{"name", thread.name},
         {"waits_for", thread.waits_for.empty() ? json() : json(thread.waits_for)}});
  }
  for (const RaceAccess& access : execution.race) {
    out["race"].push_back(race_json(access, lines));
  }
  for (std::size_t i = 0; i < execution.events.size(); ++i) {
    out["events"].push_back(event_json(history, lines, i));
  }
  for (const TimelineRow& row : timeline.rows) {
    out["rows"].push_back(row_json(row));
  }
  return out;
}

}  // namespace overbite::ordering
