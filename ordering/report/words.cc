#include "ordering/report/words.h"

#include <fmt/format.h>

#include <array>
#include <bit>

namespace overbite::ordering {

namespace {

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
      return fmt::format("{} {}, {} waiting",
                         event.op.limit != 0 ? "wake" : "notify",
                         object,
                         std::popcount(event.read.low & 0xFFFFFFFFu));
    case OpKind::kEnterFutex:
      return (event.waits ? "waits to look at " : "enter ") + object;
    case OpKind::kExitFutex:
      return (event.op.operand.low != 0 ? "wait on " : "do not wait on ") + object;
    default:
      return object;
  }
}

std::string words_of_descriptor(const Execution& execution,
                                const Event& event,
                                const std::string& object) {
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
      return event.succeeded ? fmt::format("read {} = {}", object, number_text(event.read.low))
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

// `note` belongs to the value that was read.
std::string words_of_atomic(const Event& event,
                            const std::string& object,
                            const std::string& note) {
  const std::string read = number_text(event.read.low) + note;
  const std::string written = number_text(event.written.low);
  if (event.op.kind == OpKind::kStore) {
    return fmt::format("{} := {}{}", object, written, note);
  }
  if (event.op.kind == OpKind::kRmw || (event.op.kind == OpKind::kCas && event.succeeded)) {
    return fmt::format("{} {} -> {}", object, read, written);
  }
  return event.op.kind == OpKind::kCas
             ? fmt::format("{} = {}, not {}", object, read, number_text(event.op.expected.low))
             : fmt::format("{} = {}", object, read);
}

std::string words_of_other(const Execution& execution,
                           const Event& event,
                           const std::string& object) {
  const Operation& op = event.op;
  switch (op.kind) {
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
      return op.kind <= OpKind::kLeave || op.kind >= OpKind::kEnterFutex
                 ? words_of_lock(event, object)
                 : words_of_descriptor(execution, event, object);
  }
}

}  // namespace

std::string number_text(std::uint64_t value) {
  return value < 1'000'000 ? fmt::format("{}", value) : fmt::format("{:#x}", value);
}

const std::string& thread_name(const Execution& execution, ThreadId thread) {
  static const std::string kUnknown = "?";
  const auto index = static_cast<std::size_t>(thread);
  return index < execution.threads.size() ? execution.threads[index].name : kUnknown;
}

std::string object_name(const Execution& execution, const Event& event) {
  return event.op.object < execution.objects.size() ? execution.objects[event.op.object]
                                                    : std::string();
}

bool is_atomic(OpKind kind) { return kind <= OpKind::kCas; }

bool is_read(const Event& event) {
  return event.op.kind == OpKind::kLoad || (event.op.kind == OpKind::kCas && !event.succeeded);
}

const char* order_word(const Event& event) {
  static constexpr std::array<const char*, kSeqCst + 1> kWords = {
      "relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst"};
  if (!is_atomic(event.op.kind) && event.op.kind != OpKind::kFence) {
    return "";
  }
  const bool failed = event.op.kind == OpKind::kCas && !event.succeeded;
  const std::size_t order = failed ? event.op.failure_order : event.op.order;
  return order < kWords.size() ? kWords[order] : "";
}

std::string waiting_words(const Execution& execution, const Event& event) {
  const std::string object = object_name(execution, event);
  switch (event.op.kind) {
    case OpKind::kLock:
    case OpKind::kLockShared:
      return "lock of " + object;
    case OpKind::kWake:
    case OpKind::kLeave:
      return "a notification of " + object;
    case OpKind::kReceive:
      return "a datagram at " + object;
    case OpKind::kPoll:
    case OpKind::kTake:
      return "a write of " + object;
    case OpKind::kJoin:
      return "the end of " + thread_name(execution, event.op.other);
    case OpKind::kPass:
      return "all to arrive at " + object;
    case OpKind::kTimeout:
      return "a time-out";
    default:
      return object.empty() ? std::string() : "a change of " + object;
  }
}

std::string event_words(const Execution& execution,
                        const Event& event,
                        const std::string& note,
                        bool orders) {
  const std::string object = object_name(execution, event);
  const std::string in_brackets = note.empty() ? std::string() : fmt::format(" ({})", note);
  std::string text = is_atomic(event.op.kind)
                         ? words_of_atomic(event, object, in_brackets)
                         : words_of_other(execution, event, object) + in_brackets;
  if (const std::string order = order_word(event); orders && !order.empty() && order != "seq_cst") {
    text += ", " + order;
  }
  return text;
}

}  // namespace overbite::ordering
