// The shared objects of one execution: atomics, mutexes, condition variables, descriptors.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "ordering/runtime/epoch_map.h"
#include "ordering/runtime/operation.h"

namespace overbite::ordering {

enum class ObjectKind : std::uint8_t { kAtomic, kMutex, kCondition, kChannelEnd, kEventfd };

struct Datagram {
  std::vector<char> bytes;
  VectorClock clock;       // what happened before the send
  std::size_t number = 0;  // Machine::log_datagram
};

struct Object {
  ObjectKind kind = ObjectKind::kAtomic;
  int ordinal = 0;  // within its kind, from 1
  std::uintptr_t address = 0;
  std::uint8_t size = 0;
  VectorClock clock;  // what an acquire of it brings (C++ happens-before)

  // Mutex.
  ThreadId owner = -1;
  int depth = 0;
  int last_unlock = -1;  // event

  // Condition variable, in the order of arrival.
  std::vector<ThreadId> waiters;

  // Descriptor.
  bool non_blocking = false;
  bool closed = false;
  ObjectId peer = 0;
  std::deque<Datagram> incoming;
  std::uint32_t sent_to = 0;        // datagrams, ever
  std::uint32_t received_from = 0;  // likewise
  std::uint64_t counter = 0;        // eventfd
};

// The parts of an object that a footprint can name.
inline constexpr std::uint32_t kWhole = 0;
inline constexpr std::uint32_t kAcquired = 0;
inline constexpr std::uint32_t kReleased = 1;
inline constexpr std::uint32_t kTail = 0;  // of the datagrams that wait at this end
inline constexpr std::uint32_t kHead = 1;
inline constexpr std::uint32_t kFirstCell = 2;

// Datagrams that wait in one direction before a send finds it full. Far below the kernel's, so that
// a scenario reaches the bound; a part of the model, printed with --help.
inline constexpr std::uint32_t kChannelCapacity = 16;
static_assert(kFirstCell + kChannelCapacity <= 32);

// Model descriptors are numbered from here, out of reach of the kernel's.
inline constexpr int kFirstDescriptor = 1 << 20;

class Objects {
 public:
  void reset();

  ObjectId at_address(ObjectKind kind, const void* address, std::size_t size);
  // The address is about to mean something else.
  void forget(const void* address);
  // A new descriptor; its number is descriptor_of(id).
  ObjectId open(ObjectKind kind);
  static int descriptor_of(std::uint32_t index) {
    return kFirstDescriptor + static_cast<int>(index);
  }
  int number_of(ObjectId id) const;
  // False: not a descriptor of the model.
  bool find_descriptor(int fd, ObjectId& id) const;

  Object& operator[](ObjectId id) { return objects_[id]; }
  const Object& operator[](ObjectId id) const { return objects_[id]; }
  std::size_t size() const { return objects_.size(); }

  void name(const void* address, std::size_t bytes, std::string name);
  // "loop waker +8", "mutex#2", "channel#1.A", ...
  std::string describe(ObjectId id) const;

 private:
  struct Named {
    std::uintptr_t address;
    std::size_t bytes;
    std::string name;
  };
  // The smallest named range around an address, or null.
  const Named* named(std::uintptr_t address) const;

  EpochMap<ObjectId> by_address_;
  std::vector<Object> objects_;
  std::vector<ObjectId> descriptors_;
  std::vector<Named> names_;
  int ordinals_[5] = {};
};

// Whether poll(2) would report something of `events` now, and what.
std::int16_t readiness(const Objects& objects, const PollEntry& entry);

}  // namespace overbite::ordering
