// What a model thread may do that others can see, and what comes of it.
//
// Every shared thing - an atomic, a mutex, a condition variable, the queue of a channel end, a
// counter - is an object with a content. An operation reads the content and may write a new one:
// step() is the whole meaning of it, whatever the search and the memory model.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ordering/runtime/vector_clock.h"

namespace overbite::ordering {

// A number for an object, the same in every execution of one exploration.
using ObjectId = std::uint32_t;
inline constexpr ObjectId kNoObject = ~ObjectId{0};

enum class OpKind : std::uint8_t {
  kLoad,
  kStore,
  kRmw,
  kCas,
  kFence,
  kLock,
  kTryLock,
  kUnlock,
  kLockShared,
  kTryLockShared,
  kUnlockShared,
  kQueue,      // condition variable, first step of a wait: queue up
  kWake,       // last step: woken
  kNotifyOne,  // `choice`: which of the waiters
  kNotifyAll,
  kLeave,  // a timed wait is over: no longer in the queue
  kSend,
  kReceive,
  kAdd,   // to a counter: eventfd, semaphore
  kTake,  // a counter: all of it, or one
  kPoll,  // a look at a queue or a counter
  kCloseReading,
  kCloseWriting,
  kArrive,  // at a barrier
  kPass,    // it, once all have arrived
  kOnceBegin,
  kOnceEnd,
  kSpawn,
  kEnd,
  kJoin,
  kTimeout,  // of a wait, because nothing else could go on
  kChoose,   // one of `choices`
  // The numbers up to here are in replay strings.
  kEnterFutex,  // a futex wait, first step: wakes come before this or behind the next; a full fence
  kExitFutex,   // it has compared: `operand`: 1 to queue up, then kWake
};
inline constexpr std::size_t kOpKinds = static_cast<std::size_t>(OpKind::kExitFutex) + 1;

// "load", "lock_shared", ...: as JSON documents and messages call it.
const char* kind_word(OpKind kind);

enum class RmwFunction : std::uint8_t { kExchange, kAdd, kSub, kAnd, kOr, kXor, kNand };

// The value of an atomic of up to 16 bytes, or the state of an object. Both are plain numbers.
struct Content {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  friend bool operator==(const Content&, const Content&) = default;
};

// The std::memory_order values as numbers.
inline constexpr std::uint8_t kRelaxed = 0;
inline constexpr std::uint8_t kConsume = 1;
inline constexpr std::uint8_t kAcquire = 2;
inline constexpr std::uint8_t kRelease = 3;
inline constexpr std::uint8_t kAcqRel = 4;
inline constexpr std::uint8_t kSeqCst = 5;

// Weaker than any: the operation does not happen. Of fences and notifications.
inline constexpr std::uint8_t kDropped = 7;

constexpr bool acquires(std::uint8_t order) {
  return order == kConsume || order == kAcquire || order == kAcqRel || order == kSeqCst;
}
constexpr bool releases(std::uint8_t order) { return order >= kRelease && order <= kSeqCst; }

// It looks at an object.
constexpr bool reads_an_object(OpKind kind) {
  return (kind < OpKind::kSpawn && kind != OpKind::kFence) || kind > OpKind::kChoose;
}

// What a thread is about to do.
struct Operation {
  OpKind kind = OpKind::kLoad;
  std::uint8_t size = 0;  // bytes, of an atomic
  std::uint8_t order = kRelaxed;
  std::uint8_t failure_order = kRelaxed;  // of a compare-exchange that fails
  RmwFunction function = RmwFunction::kExchange;
  bool non_blocking = true;
  std::int8_t other = -1;     // kSpawn, kJoin: the thread
  std::uint16_t choices = 1;  // kChoose
  std::uint32_t frame = 0;    // which call of the function that does it
  ObjectId object = kNoObject;
  // kSend: capacity; kTake: 1 or 0 for all; kArrive: how many; kNotify...: of a futex, how many
  std::int32_t limit = 0;
  Content operand;                // stored, added, desired; kPoll: the poll(2) events
  Content expected;               // kCas
  std::int64_t deadline_ns = -1;  // of a wait, on the model's clock; < 0: never
  const void* address = nullptr;  // of the object, if it is at one
  const void* pc = nullptr;       // in the function that does it
};

// What an operation makes of the content it meets.
struct Effect {
  bool would_block = false;
  bool writes = false;
  bool succeeded = true;
  bool possible = true;  // false: it cannot meet this content at all
  Content after{};
};
Effect step(const Operation& op, ThreadId thread, const Content& before, int choice);

// Of kNotifyOne and kNotifyAll: how many they wake.
int woken_by(const Operation& notify, const Content& before);

// In how many ways it can turn out for one content.
int choices(const Operation& op, const Content& before);

// What the thread gets to see.
struct Result {
  Content read;
  bool succeeded = true;
  bool timed_out = false;
  bool newest = true;  // what it wrote is the newest of what this execution has run so far
  int choice = 0;      // kSpawn: the new thread
};

// The fields of a queue's content.
struct QueueState {
  std::uint32_t sent = 0;
  std::uint32_t received = 0;
  bool reading_closed = false;
  bool writing_closed = false;
};
QueueState queue_state(const Content& content);

// An operation that was done, for those who look back.
struct Event {
  Operation op;
  ThreadId thread = 0;
  std::int16_t position = 0;  // within its thread, from 1
  Content read;
  Content written;
  bool writes = false;
  bool succeeded = true;
  bool waits = false;  // and its thread did not go on
  int choice = 0;
  int source = -1;        // the event it reads from; -1: the initial content
  int skipped = 0;        // newer contents that it could have read; stores: contents put behind it
  bool preempts = false;  // another thread ran before and could have gone on
};

enum class End : std::uint8_t {
  kComplete,
  kCut,      // nothing new can come of it
  kAssumed,  // assume() did not hold
  kFailed,
  kStopped,  // something the harness does not model: no verdict
  kStepCap,
  kRestart,  // the machine has learnt something: the exploration has to begin again
  kAgain,    // the machine has to run it once more to see all of it
};

enum class FailureKind : std::uint8_t {
  kNone,
  kRequirement,
  kDeadlock,
  kDataRace,
  kCrash,
  kMemory,  // use after free, double free, leak
  kUnmodelled,
  kReplayMismatch,
  kNotDeterministic,
};

struct Failure {
  FailureKind kind = FailureKind::kNone;
  std::string message;
};

struct ThreadInfo {
  std::string name;
  std::string waits_for;  // empty when it has ended or can run
};

// How a datagram reads: the `number`-th that was sent to `queue`.
struct DatagramText {
  ObjectId queue = kNoObject;
  std::uint32_t number = 0;
  std::string text;
};

// One of the two accesses of a data race.
struct RaceAccess {
  ThreadId thread = -1;
  bool write = false;
  bool atomic = false;
  std::int16_t position = 0;  // of the operation of its thread that comes next; 0: not known
  std::size_t size = 0;       // bytes; 0: not known
  const void* pc = nullptr;
  std::string object;  // what is there, if that has a name
};

// One of the places in the code that a failure of memory is about: "freed by main".
struct MemorySite {
  std::string what;
  const void* pc = nullptr;
};

// Everything one execution leaves behind.
struct Execution {
  End end = End::kComplete;
  Failure failure;
  ThreadId failed_thread = -1;
  std::size_t steps = 0;
  // Filled in only when the execution did not simply end: they cost more than the rest.
  std::vector<Event> events;
  std::vector<ThreadInfo> threads;
  std::vector<std::string> objects;  // by ObjectId
  std::vector<DatagramText> datagrams;
  // Of FailureKind::kDataRace: the later one, and what it races with. Otherwise empty.
  std::vector<RaceAccess> race;
  std::vector<MemorySite> sites;  // of FailureKind::kMemory, what went wrong first
};

// Tells whether the same scenario does the same thing here. The low five bits say the kind.
std::uint32_t signature_of(ThreadId thread, const Operation& op);
// The kind of an operation that a thread decides about.
OpKind kind_in(std::uint32_t signature);

}  // namespace overbite::ordering
