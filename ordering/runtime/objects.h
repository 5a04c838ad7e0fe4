// The shared objects of an exploration: what is at an address, what a descriptor stands for, and
// what they are called. What they hold is not here: that depends on the execution.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ordering/runtime/epoch_map.h"
#include "ordering/runtime/operation.h"

namespace overbite::ordering {

enum class ObjectKind : std::uint8_t {
  kAtomic,
  kMutex,
  kSharedMutex,
  kCondition,
  kQueue,    // the datagrams that wait at one end of a socket pair
  kCounter,  // eventfd, semaphore
  kBarrier,
  kOnce,
  kFutex,  // who waits for a change of the word at its address
};
inline constexpr std::size_t kObjectKinds = 9;

// Datagrams that wait in one direction before a send finds it full. Far below the kernel's, so that
// a scenario reaches the bound; a part of the model, printed with --help.
inline constexpr std::int32_t kQueueCapacity = 16;

// Model descriptors are numbered from here, out of reach of the kernel's.
inline constexpr int kFirstDescriptor = 1 << 20;

// What an open descriptor stands for, in this execution.
struct Descriptor {
  ObjectKind kind = ObjectKind::kCounter;  // or kQueue
  ObjectId object = kNoObject;             // the counter, or the queue this end reads from
  ObjectId peer = kNoObject;               // the queue that this end writes to
  bool non_blocking = false;
  bool one_at_a_time = false;  // EFD_SEMAPHORE
  bool closed = false;
};

class Objects {
 public:
  Objects() = default;
  ~Objects() { restore_statics(); }
  Objects(const Objects&) = delete;
  Objects& operator=(const Objects&) = delete;
  // No object is known any more.
  void forget_all();
  // The same objects, all descriptors closed, no names; atomics in static memory are as at first.
  void begin_execution();

  // The number of what is at `address`: the same in every execution in which it is the n-th thing
  // there.
  ObjectId at_address(ObjectKind kind, const void* address, std::size_t size);
  // The address is about to mean something else.
  void renew(const void* address);
  // All in a block of memory.
  void renew(const void* block, std::size_t bytes);
  // Descriptors are numbered by thread, so that they do not depend on who comes first. The number
  // of the new one.
  int open(ThreadId thread, Descriptor descriptor);
  // A queue or counter that belongs to no address: the n-th of its thread.
  ObjectId anonymous(ThreadId thread, ObjectKind kind);
  Descriptor* find_descriptor(int fd);

  // The atomics that overlap these bytes: `visit(id)` for each.
  template <typename Visit>
  void for_atomics_at(const void* address, std::size_t size, Visit visit) {
    const auto first = reinterpret_cast<std::uintptr_t>(address);
    for (std::uintptr_t key = first >> 3; key <= (first + size - 1) >> 3; ++key) {
      if ((atomic_filter_[key / 64 % kFilterWords] >> (key % 64) & 1) == 0) {
        continue;
      }
      const std::uint32_t* link = atomics_.find(key);
      for (std::uint32_t at = link != nullptr ? *link : 0; at != 0; at = atomic_links_[at].next) {
        const Object& object = objects_[atomic_links_[at].id];
        if (object.address < first + size && first < object.address + object.size) {
          visit(atomic_links_[at].id);
        }
      }
    }
  }
  // What an object holds before the first operation on it. Of an atomic: what memory holds now.
  Content initial_of(ObjectId id) const;
  void set_initial(ObjectId id, std::uint64_t value) { objects_[id].initial = value; }

  std::size_t size() const { return objects_.size(); }
  std::uint8_t size_of(ObjectId id) const { return objects_[id].size; }
  ObjectKind kind_of(ObjectId id) const { return objects_[id].kind; }

  void name(const void* address, std::size_t bytes, std::string name);
  // "loop waker +8", "mutex#2", "channel#1.A", ...
  std::string describe(ObjectId id) const;
  // What was named there, in the same words; empty if nothing was.
  std::string describe(const void* address) const;

 private:
  struct Object {
    ObjectKind kind = ObjectKind::kAtomic;
    int ordinal = 0;  // within its kind, from 1
    std::uintptr_t address = 0;
    std::uint8_t size = 0;
    std::uint32_t round = 0;     // how often its address was renewed before
    ObjectId other = kNoObject;  // another object at this address
    std::uint64_t initial = 0;
    Content at_first{};  // of what is static, before the exploration
  };
  struct Named {
    std::uintptr_t address;
    std::size_t bytes;
    std::string name;
  };
  void restore_statics();
  // The smallest named range around an address, or null.
  const Named* named(std::uintptr_t address) const;
  ObjectId find_or_add(ObjectKind kind, std::uintptr_t key, std::size_t size, std::uint32_t round);

  struct AtomicLink {
    ObjectId id;
    std::uint32_t next;  // 0: none
  };
  EpochMap<ObjectId> by_address_;    // the first object there, plus 1
  EpochMap<std::uint32_t> atomics_;  // by the 8 bytes they are in
  std::vector<AtomicLink> atomic_links_{1};
  static constexpr std::size_t kFilterWords = 64;
  std::uint64_t atomic_filter_[kFilterWords] = {};  // 0: none in there
  EpochMap<std::uint32_t> rounds_;
  bool renewed_ = false;  // any address, in this execution
  std::vector<Object> objects_;
  std::vector<ObjectId> statics_;
  std::vector<Descriptor> descriptors_[kThreadsMax];
  std::uint32_t anonymous_[kThreadsMax] = {};
  ThreadId threads_used_ = 0;  // above those with descriptors or nameless objects
  std::vector<Named> names_;
  int ordinals_[kObjectKinds] = {};
};

}  // namespace overbite::ordering
