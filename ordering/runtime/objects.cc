#include "ordering/runtime/objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace overbite::ordering {

void Objects::reset() {
  by_address_.clear();
  objects_.clear();
  descriptors_.clear();
  names_.clear();
  std::fill(std::begin(ordinals_), std::end(ordinals_), 0);
}

ObjectId Objects::at_address(ObjectKind kind, const void* address, std::size_t size) {
  const auto key = reinterpret_cast<std::uintptr_t>(address);
  ObjectId& id = by_address_[key];
  // Entry 0 means none, so numbers are stored one higher.
  if (id != 0 && objects_[id - 1].kind == kind) {
    return id - 1;
  }
  objects_.emplace_back();
  Object& object = objects_.back();
  object.kind = kind;
  object.ordinal = ++ordinals_[static_cast<std::size_t>(kind)];
  object.address = key;
  object.size = static_cast<std::uint8_t>(size);
  id = static_cast<ObjectId>(objects_.size());
  return id - 1;
}

void Objects::forget(const void* address) {
  if (ObjectId* id = by_address_.find(reinterpret_cast<std::uintptr_t>(address))) {
    *id = 0;
  }
}

ObjectId Objects::open(ObjectKind kind) {
  const auto id = static_cast<ObjectId>(objects_.size());
  objects_.emplace_back();
  objects_.back().kind = kind;
  objects_.back().ordinal = ++ordinals_[static_cast<std::size_t>(kind)];
  descriptors_.push_back(id);
  return id;
}

int Objects::number_of(ObjectId id) const {
  const auto found = std::find(descriptors_.begin(), descriptors_.end(), id);
  return descriptor_of(static_cast<std::uint32_t>(found - descriptors_.begin()));
}

bool Objects::find_descriptor(int fd, ObjectId& id) const {
  const std::int64_t index = std::int64_t{fd} - kFirstDescriptor;
  if (index < 0 || index >= static_cast<std::int64_t>(descriptors_.size())) {
    return false;
  }
  id = descriptors_[static_cast<std::size_t>(index)];
  return true;
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

std::string Objects::describe(ObjectId id) const {
  const Object& object = objects_[id];
  switch (object.kind) {
    case ObjectKind::kChannelEnd:
      return fmt::format(
          "channel#{}.{}", (object.ordinal + 1) / 2, object.ordinal % 2 == 1 ? "A" : "B");
    case ObjectKind::kEventfd:
      return fmt::format("eventfd#{}", object.ordinal);
    default:
      break;
  }
  if (const Named* range = named(object.address)) {
    const std::size_t offset = object.address - range->address;
    return offset == 0 ? range->name : fmt::format("{}+{}", range->name, offset);
  }
  const char* kind = object.kind == ObjectKind::kAtomic  ? "atomic"
                     : object.kind == ObjectKind::kMutex ? "mutex"
                                                         : "condition";
  return fmt::format("{}#{}", kind, object.ordinal);
}

std::int16_t readiness(const Objects& objects, const PollEntry& entry) {
  const Object& object = objects[entry.object];
  if (object.closed) {
    return POLLNVAL;
  }
  int ready = 0;
  if (object.kind == ObjectKind::kEventfd) {
    ready = (object.counter != 0 ? POLLIN : 0) | POLLOUT;
  } else {
    const Object& peer = objects[object.peer];
    ready = object.incoming.empty() ? 0 : POLLIN;
    if (peer.closed || peer.incoming.size() < kChannelCapacity) {
      ready |= POLLOUT;
    }
  }
  return static_cast<std::int16_t>(ready & entry.events);
}

}  // namespace overbite::ordering
