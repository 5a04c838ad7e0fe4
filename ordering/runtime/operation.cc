#include "ordering/runtime/operation.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <bit>
#include <initializer_list>
#include <iterator>
#include <limits>

namespace overbite::ordering {

namespace {

// Queues: sent and received in `low`, the closed flags in `high`.
constexpr std::uint64_t kReadingClosed = 1;
constexpr std::uint64_t kWritingClosed = 2;
// Mutexes: owner + 1 in `low`; shared locks: how many hold one in `high`.
// Condition variables and futexes: who is queued in the lower half of `low`, who is woken in
// `high`; futexes: owner + 1 of a wait that compares, in the upper half of `low`. Barriers: arrived
// in `low`, the round in `high`.
enum OnceState : std::uint64_t { kNotBegun, kRunning, kDone };

constexpr int kComparing = 32;
static_assert(kThreadsMax <= kComparing);

std::uint64_t bit_of(ThreadId thread) { return std::uint64_t{1} << thread; }

std::uint64_t cut_to(std::uint64_t value, int bytes) {
  return bytes >= 8 ? value : value & ((std::uint64_t{1} << (8 * bytes)) - 1);
}

Content calculate(const Operation& op, const Content& before) {
  using Wide = unsigned __int128;
  const Wide a = Wide{before.high} << 64 | before.low;
  const Wide b = Wide{op.operand.high} << 64 | op.operand.low;
  Wide wide = b;
  switch (op.function) {
    case RmwFunction::kExchange:
      return op.operand;
    case RmwFunction::kAdd:
      wide = a + b;
      break;
    case RmwFunction::kSub:
      wide = a - b;
      break;
    case RmwFunction::kAnd:
      wide = a & b;
      break;
    case RmwFunction::kOr:
      wide = a | b;
      break;
    case RmwFunction::kXor:
      wide = a ^ b;
      break;
    case RmwFunction::kNand:
      wide = ~(a & b);
      break;
  }
  const auto high = static_cast<std::uint64_t>(wide >> 64);
  return {cut_to(static_cast<std::uint64_t>(wide), op.size), op.size > 8 ? high : 0};
}

Effect writes(const Content& after) { return {.writes = true, .after = after}; }
Effect reads(bool succeeded = true) { return {.succeeded = succeeded}; }
Effect blocks() { return {.would_block = true, .succeeded = false}; }
Effect impossible() { return {.possible = false}; }
// What a blocking call waits for and another one reports.
Effect not_now(const Operation& op) { return op.non_blocking ? reads(false) : blocks(); }

std::uint64_t queued_in(const Content& content) {
  return content.low & ((std::uint64_t{1} << kComparing) - 1);
}

// How many sets of `size` of `all` there are.
int subsets(int all, int size) {
  int count = 1;
  for (int i = 1; i <= size; ++i) {
    count = count * (all - size + i) / i;
  }
  return count;
}

Effect step_lock(const Operation& op, ThreadId thread, const Content& before) {
  const auto self = static_cast<std::uint64_t>(thread) + 1;
  switch (op.kind) {
    case OpKind::kLock:
    case OpKind::kTryLock:
      return before == Content{} ? writes({self, 0}) : not_now(op);
    case OpKind::kUnlock:
      return before.low == self ? writes({}) : impossible();
    case OpKind::kLockShared:
    case OpKind::kTryLockShared:
      return before.low == 0 ? writes({0, before.high + 1}) : not_now(op);
    default:
      return before.high > 0 ? writes({0, before.high - 1}) : impossible();
  }
}

// Of all sets of `size` bits of `mask` the n-th.
std::uint64_t nth_subset(std::uint64_t mask, int size, int n) {
  std::uint64_t chosen = 0;
  while (size > 0) {
    const std::uint64_t first = mask & -mask;
    mask &= mask - 1;
    const int with_first = subsets(std::popcount(mask), size - 1);
    if (n < with_first) {
      chosen |= first;
      --size;
    } else {
      n -= with_first;
    }
  }
  return chosen;
}

Effect step_notify(const Operation& op, const Content& before, int choice) {
  const std::uint64_t queued = queued_in(before);
  if (op.limit == 0) {  // a condition variable
    const std::uint64_t woken =
        op.kind == OpKind::kNotifyAll || queued == 0 ? queued : nth_subset(queued, 1, choice);
    return queued == 0 ? reads() : writes({queued & ~woken, before.high | woken});
  }
  if (before.low >> kComparing != 0) {  // guard: wake-while-comparing
    return blocks();
  }
  // It writes even if nobody waits: who comes to wait after this sees what was stored before it.
  const std::uint64_t woken = nth_subset(queued, woken_by(op, before), choice);
  return writes({before.low & ~woken, before.high | woken});
}

Effect step_condition(const Operation& op, ThreadId thread, const Content& before, int choice) {
  const std::uint64_t self = bit_of(thread);
  const std::uint64_t comparing = (static_cast<std::uint64_t>(thread) + 1) << kComparing;
  switch (op.kind) {
    case OpKind::kQueue:
      return writes({before.low | self, before.high & ~self});
    case OpKind::kWake:
      return (before.high & self) != 0 ? reads() : not_now(op);
    case OpKind::kLeave:
      return writes({before.low & ~self, before.high & ~self});
    case OpKind::kEnterFutex:
      return before.low >> kComparing != 0 ? blocks()
                                           : writes({before.low | comparing, before.high});
    case OpKind::kExitFutex:
      if (before.low >> kComparing != comparing >> kComparing) {
        return impossible();
      }
      return writes({queued_in(before) | (op.operand.low != 0 ? self : 0), before.high & ~self});
    default:
      return step_notify(op, before, choice);
  }
}

std::uint64_t readiness(const Operation& op, const Content& content) {
  // `limit`: the queue's capacity, or 0 for a counter.
  if (op.limit == 0) {
    return op.operand.low & ((content.low != 0 ? POLLIN : 0) | POLLOUT);
  }
  const QueueState queue = queue_state(content);
  const bool readable = queue.sent != queue.received;
  const bool writable =
      queue.reading_closed || queue.sent - queue.received < static_cast<std::uint32_t>(op.limit);
  return op.operand.low & ((readable ? POLLIN : 0) | (writable ? POLLOUT : 0));
}

Effect step_descriptor(const Operation& op, const Content& before) {
  const QueueState queue = queue_state(before);
  switch (op.kind) {
    case OpKind::kSend:
      if (queue.reading_closed) {
        return reads(false);
      }
      return queue.sent - queue.received < static_cast<std::uint32_t>(op.limit)
                 ? writes({before.low + 1, before.high})
                 : not_now(op);
    case OpKind::kReceive:
      if (queue.sent != queue.received) {
        return writes({before.low + (std::uint64_t{1} << 32), before.high});
      }
      return queue.writing_closed ? reads(false) : not_now(op);
    case OpKind::kAdd:
      return before.low > std::numeric_limits<std::uint64_t>::max() - 1 - op.operand.low
                 ? not_now(op)
                 : writes({before.low + op.operand.low, 0});
    case OpKind::kTake:
      if (before.low == 0) {
        return not_now(op);
      }
      return writes({op.limit == 0 ? 0 : before.low - 1, 0});
    case OpKind::kCloseReading:
      return writes({before.low, before.high | kReadingClosed});
    case OpKind::kCloseWriting:
      return writes({before.low, before.high | kWritingClosed});
    default:
      return reads(readiness(op, before) != 0);
  }
}

Effect step_meeting(const Operation& op, const Content& before) {
  switch (op.kind) {
    case OpKind::kArrive: {
      const bool last = before.low + 1 == static_cast<std::uint64_t>(op.limit);
      Effect effect =
          writes(last ? Content{0, before.high + 1} : Content{before.low + 1, before.high});
      effect.succeeded = last;
      return effect;
    }
    case OpKind::kPass:  // `operand`: the round it waits for the end of
      return before.high > op.operand.low ? reads() : blocks();
    case OpKind::kOnceBegin:
      if (before.low == kNotBegun) {
        return writes({kRunning, 0});
      }
      return before.low == kDone ? reads(false) : blocks();
    default:  // kOnceEnd; `operand`: what it is now
      return writes(op.operand);
  }
}

}  // namespace

int woken_by(const Operation& notify, const Content& before) {
  const int queued = std::popcount(queued_in(before));
  return notify.kind == OpKind::kNotifyAll ? queued : std::min(queued, std::max(notify.limit, 1));
}

QueueState queue_state(const Content& content) {
  return {static_cast<std::uint32_t>(content.low),
          static_cast<std::uint32_t>(content.low >> 32),
          (content.high & kReadingClosed) != 0,
          (content.high & kWritingClosed) != 0};
}

Effect step(const Operation& op, ThreadId thread, const Content& before, int choice) {
  switch (op.kind) {
    case OpKind::kLoad:
      return reads();
    case OpKind::kStore:
      return writes(op.operand);
    case OpKind::kRmw:
      return writes(calculate(op, before));
    case OpKind::kCas:
      return before == op.expected ? writes(op.operand) : reads(false);
    case OpKind::kLock:
    case OpKind::kTryLock:
    case OpKind::kUnlock:
    case OpKind::kLockShared:
    case OpKind::kTryLockShared:
    case OpKind::kUnlockShared:
      return step_lock(op, thread, before);
    case OpKind::kQueue:
    case OpKind::kWake:
    case OpKind::kNotifyOne:
    case OpKind::kNotifyAll:
    case OpKind::kLeave:
    case OpKind::kEnterFutex:
    case OpKind::kExitFutex:
      return step_condition(op, thread, before, choice);
    case OpKind::kSend:
    case OpKind::kReceive:
    case OpKind::kAdd:
    case OpKind::kTake:
    case OpKind::kPoll:
    case OpKind::kCloseReading:
    case OpKind::kCloseWriting:
      return step_descriptor(op, before);
    case OpKind::kArrive:
    case OpKind::kPass:
    case OpKind::kOnceBegin:
    case OpKind::kOnceEnd:
      return step_meeting(op, before);
    default:
      return reads();
  }
}

static int ways_to_wake(const Operation& notify, const Content& before) {
  return subsets(std::popcount(queued_in(before)), woken_by(notify, before));
}

int choices(const Operation& op, const Content& before) {
  switch (op.kind) {
    case OpKind::kNotifyOne:
      return ways_to_wake(op, before);  // guard: choice-of-waiter
    case OpKind::kChoose:
      return op.choices;
    default:
      return 1;
  }
}

const char* kind_word(OpKind kind) {
  static constexpr std::array<const char*, kOpKinds> kWords = {"load",          "store",
                                                               "rmw",           "compare_exchange",
                                                               "fence",         "lock",
                                                               "try_lock",      "unlock",
                                                               "lock_shared",   "try_lock_shared",
                                                               "unlock_shared", "queue",
                                                               "wake",          "notify_one",
                                                               "notify_all",    "leave",
                                                               "send",          "receive",
                                                               "add",           "take",
                                                               "poll",          "close_reading",
                                                               "close_writing", "arrive",
                                                               "pass",          "once_begin",
                                                               "once_end",      "spawn",
                                                               "end",           "join",
                                                               "timeout",       "choose",
                                                               "enter_futex",   "exit_futex"};
  return kWords[static_cast<std::size_t>(kind)];
}

namespace {

// Five bits have room for 32 kinds; some are never decided about, and lend theirs.
constexpr std::size_t kNumbered = static_cast<std::size_t>(OpKind::kChoose) + 1;
static_assert(kNumbered == 32);
constexpr OpKind kLent[] = {OpKind::kFence, OpKind::kSpawn, OpKind::kEnd, OpKind::kJoin};
static_assert(kOpKinds - kNumbered <= std::size(kLent));

std::uint32_t number_of(OpKind kind) {
  const auto number = static_cast<std::size_t>(kind);
  return static_cast<std::uint32_t>(number < kNumbered ? kind : kLent[number - kNumbered]);
}

}  // namespace

OpKind kind_in(std::uint32_t signature) {
  const auto kind = static_cast<OpKind>(signature % kNumbered);
  const auto* const lent = std::find(std::begin(kLent), std::end(kLent), kind);
  const auto behind = static_cast<std::size_t>(lent - std::begin(kLent));
  return kNumbered + behind < kOpKinds ? static_cast<OpKind>(kNumbered + behind) : kind;
}

std::uint32_t signature_of(ThreadId thread, const Operation& op) {
  std::uint32_t hash = 2166136261u;  // FNV-1a
  for (const std::uint32_t part : {static_cast<std::uint32_t>(thread),
                                   static_cast<std::uint32_t>(op.kind),
                                   static_cast<std::uint32_t>(op.size)}) {
    hash = (hash ^ part) * 16777619u;
  }
  return ((hash ^ (hash >> 15)) << 5) | number_of(op.kind);
}

}  // namespace overbite::ordering
