// What a model thread may do that others can see, and the record of having done it.
#pragma once

#include <poll.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "ordering/runtime/vector_clock.h"

namespace overbite::ordering {

// The number of an object within one execution, in the order of first touch. Never an address:
// that differs from one execution to the next.
using ObjectId = std::uint32_t;

enum class OpKind : std::uint8_t {
  kLoad,
  kStore,
  kRmw,
  kCas,
  kLock,
  kTryLock,
  kUnlock,
  kWait,  // condition variable, first step: release the mutex and queue
  kWake,  // second step: woken and the mutex is free again
  kNotifyOne,
  kNotifyAll,
  kSend,
  kReceive,
  kEventWrite,
  kEventRead,
  kPoll,
  kClose,
  kSpawn,  // recorded, but no scheduling point: nobody but the new thread can tell when
  kJoin,   // likewise: enabled once the other has ended, and then independent of everything
};

// A descriptor in a poll set.
struct PollEntry {
  ObjectId object = 0;
  std::int16_t events = 0;
};

// More descriptors in one poll(2) stop the run by name.
inline constexpr int kPollEntriesMax = 4;

// A scheduling point: what the thread is about to do.
struct Operation {
  OpKind kind = OpKind::kLoad;
  std::uint8_t size = 0;  // bytes, of an atomic
  bool non_blocking = true;
  // When it ends by itself, on the machine's clock; < 0: never. The clock stands still until
  // nothing else can run.
  std::int64_t deadline_ns = -1;
  ObjectId object = 0;
  ObjectId mutex = 0;             // kWait, kWake
  const void* address = nullptr;  // of an atomic
  std::uint64_t expected = 0;     // kCas
  std::array<PollEntry, kPollEntriesMax> polled{};
  int polled_count = 0;
  ThreadId other = -1;       // kSpawn, kJoin
  const void* pc = nullptr;  // in the function that does it
  std::uint32_t frame = 0;   // which call of that function
};

// One abstract place an operation reads or writes. Two operations are dependent when they touch
// one place and at least one writes. An object has up to 32 places.
struct Access {
  std::uint32_t place = 0;
  bool write = false;
};

struct Footprint {
  static constexpr int kAccessesMax = 4 * kPollEntriesMax + 2;
  std::array<Access, kAccessesMax> accesses{};
  int count = 0;
  bool everything = false;  // a time-out: it happened because nothing else could

  void add(ObjectId object, std::uint32_t part, bool write) {
    accesses[static_cast<std::size_t>(count++)] = {object * 32 + part, write};
  }
};

// They touch one place, and at least one writes it.
bool conflict(const Footprint& a, const Footprint& b);
// Their order matters: a conflict, or one happened because nothing else could.
bool dependent(const Footprint& a, const Footprint& b);

// An operation that was done.
struct Event {
  Operation op;
  Footprint footprint;
  ThreadId thread = 0;
  int node = -1;  // its scheduling point, counted from 0; -1: it was none
  int variant = 0;
  // Events that must come first without being a choice; -1: none.
  int unlocked_by = -1;
  int notified_by = -1;
  bool succeeded = true;  // CAS, try-lock, non-blocking fd call
  bool preempts = false;  // another thread ran before and could have gone on
  std::uint64_t read = 0;
  std::uint64_t written = 0;  // of a datagram, like read: its number in its direction
  std::size_t datagram = 0;   // in Execution::datagrams, from 1
};

// A number that stays the same while the scenario does the same thing here.
std::uint32_t signature_of(ThreadId thread, const Operation& op);

enum class End : std::uint8_t {
  kComplete,
  kCut,      // the strategy knows that an equivalent execution was or will be explored
  kAssumed,  // assume() did not hold
  kFailed,
  kStopped,  // something the harness does not model: no verdict
  kStepCap,
};

enum class FailureKind : std::uint8_t {
  kNone,
  kRequirement,
  kDeadlock,
  kDataRace,
  kCrash,
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

// Everything one execution leaves behind.
struct Execution {
  End end = End::kComplete;
  Failure failure;
  ThreadId failed_thread = -1;
  std::vector<Event> events;
  // Filled in only when the execution did not simply end: names cost more than the rest.
  std::vector<ThreadInfo> threads;
  std::vector<std::string> objects;    // by ObjectId
  std::vector<std::string> datagrams;  // by Event::datagram - 1
};

}  // namespace overbite::ordering
