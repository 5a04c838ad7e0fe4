#include "ordering/runtime/objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "ordering/runtime/process_image.h"
#include "ordering/runtime/symbols.h"

namespace overbite::ordering {

namespace {

constexpr int kDescriptorsPerThread = 1024;

const char* word_for(ObjectKind kind) {
  switch (kind) {
    case ObjectKind::kAtomic:
      return "atomic";
    case ObjectKind::kMutex:
      return "mutex";
    case ObjectKind::kSharedMutex:
      return "shared mutex";
    case ObjectKind::kCondition:
      return "condition";
    case ObjectKind::kQueue:
      return "channel";
    case ObjectKind::kCounter:
      return "counter";
    case ObjectKind::kBarrier:
      return "barrier";
    case ObjectKind::kOnce:
      return "once";
    case ObjectKind::kFutex:
      return "futex";
  }
  return "object";
}

// No address is as low as these.
std::uintptr_t key_of_anonymous(ThreadId thread, std::uint32_t number) {
  return (static_cast<std::uintptr_t>(thread) << 20) + number + 1;
}

}  // namespace

// Atomics that outlive an execution: those of libstdc++'s waiting threads, for one.
void Objects::restore_statics() {
  for (const ObjectId id : statics_) {
    const Object& object = objects_[id];
    std::memcpy(reinterpret_cast<void*>(object.address), &object.at_first, object.size);
  }
}

void Objects::forget_all() {
  restore_statics();
  statics_.clear();
  by_address_.clear();
  atomics_.clear();
  atomic_links_.resize(1);
  std::fill(std::begin(atomic_filter_), std::end(atomic_filter_), 0);
  objects_.clear();
  std::fill(std::begin(ordinals_), std::end(ordinals_), 0);
  begin_execution();
}

void Objects::begin_execution() {
  restore_statics();  // guard: statics-restored
  if (renewed_) {
    rounds_.clear();
    renewed_ = false;
  }
  for (ThreadId thread = 0; thread < threads_used_; ++thread) {
    descriptors_[thread].clear();
    anonymous_[thread] = 0;
  }
  threads_used_ = 0;
  names_.clear();
}

ObjectId Objects::find_or_add(ObjectKind kind,
                              std::uintptr_t key,
                              std::size_t size,
                              std::uint32_t round) {
  ObjectId& first = by_address_[key];
  for (ObjectId id = first; id != 0;) {
    const Object& object = objects_[id - 1];
    if (object.kind == kind && object.round == round && object.size == size) {
      return id - 1;
    }
    id = object.other == kNoObject ? 0 : object.other + 1;
  }
  const auto id = static_cast<ObjectId>(objects_.size());
  objects_.push_back({kind,
                      ++ordinals_[static_cast<std::size_t>(kind)],
                      key,
                      static_cast<std::uint8_t>(size),
                      round,
                      first == 0 ? kNoObject : first - 1,
                      0});
  first = id + 1;
  if (kind == ObjectKind::kAtomic) {
    if (is_static(reinterpret_cast<const void*>(key))) {
      objects_[id].at_first = initial_of(id);
      statics_.push_back(id);
    }
    std::uint32_t& link = atomics_[key >> 3];
    atomic_filter_[key / 512 % kFilterWords] |= std::uint64_t{1} << (key / 8 % 64);
    atomic_links_.push_back({id, link});
    link = static_cast<std::uint32_t>(atomic_links_.size()) - 1;
  }
  return id;
}

ObjectId Objects::at_address(ObjectKind kind, const void* address, std::size_t size) {
  const auto key = reinterpret_cast<std::uintptr_t>(address);
  std::uint32_t round = 0;
  if (renewed_) {
    if (const std::uint32_t* found = rounds_.find(key)) {
      round = *found;
    }
  }
  return find_or_add(kind, key, size, round);
}

void Objects::renew(const void* address) {
  renewed_ = true;
  ++rounds_[reinterpret_cast<std::uintptr_t>(address)];
}

void Objects::renew(const void* block, std::size_t bytes) {
  const auto* const begin = static_cast<const std::byte*>(block);
  for (const std::byte* at = begin; at < begin + bytes; ++at) {
    if (by_address_.find(reinterpret_cast<std::uintptr_t>(at)) != nullptr) {
      renew(at);
    }
  }
}

Content Objects::initial_of(ObjectId id) const {
  const Object& object = objects_[id];
  if (object.kind != ObjectKind::kAtomic) {
    return {object.initial, 0};
  }
  Content content;
  std::memcpy(&content, reinterpret_cast<const void*>(object.address), object.size);
  return content;
}

int Objects::open(ThreadId thread, Descriptor descriptor) {
  threads_used_ = std::max(threads_used_, thread + 1);
  auto& own = descriptors_[thread];
  own.push_back(descriptor);
  return kFirstDescriptor + thread * kDescriptorsPerThread + static_cast<int>(own.size()) - 1;
}

ObjectId Objects::anonymous(ThreadId thread, ObjectKind kind) {
  threads_used_ = std::max(threads_used_, thread + 1);
  return find_or_add(kind, key_of_anonymous(thread, anonymous_[thread]++), 0, 0);
}

Descriptor* Objects::find_descriptor(int fd) {
  const int number = fd - kFirstDescriptor;
  if (number < 0 || number >= kThreadsMax * kDescriptorsPerThread) {
    return nullptr;
  }
  auto& of_thread = descriptors_[number / kDescriptorsPerThread];
  const auto place = static_cast<std::size_t>(number % kDescriptorsPerThread);
  return place < of_thread.size() ? &of_thread[place] : nullptr;
}

void Objects::name(const void* address, std::size_t bytes, std::string name) {
  names_.push_back({reinterpret_cast<std::uintptr_t>(address), bytes, std::move(name)});
}

const Objects::Named* Objects::named(std::uintptr_t address) const {
  const Named* best = nullptr;
  for (const Named& candidate : names_) {
    const bool inside =
        address >= candidate.address && address < candidate.address + candidate.bytes;
    if (inside && (best == nullptr || candidate.bytes <= best->bytes)) {
      best = &candidate;
    }
  }
  return best;
}

std::string Objects::describe(const void* address) const {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const Named* const range = named(at);
  if (range == nullptr) {
    return ProcessImage::shared().variable_at(address);
  }
  const std::size_t offset = at - range->address;
  return offset == 0 ? range->name : fmt::format("{}+{}", range->name, offset);
}

std::string Objects::describe(ObjectId id) const {
  const Object& object = objects_[id];
  if (object.kind == ObjectKind::kQueue) {
    return fmt::format(
        "channel#{}.{}", (object.ordinal + 1) / 2, object.ordinal % 2 == 1 ? "A" : "B");
  }
  if (std::string name = describe(reinterpret_cast<const void*>(object.address)); !name.empty()) {
    return name;
  }
  return fmt::format("{}#{}", word_for(object.kind), object.ordinal);
}

}  // namespace overbite::ordering
