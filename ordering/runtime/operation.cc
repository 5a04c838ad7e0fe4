#include "ordering/runtime/operation.h"

#include <initializer_list>

namespace overbite::ordering {

bool conflict(const Footprint& a, const Footprint& b) {
  for (int i = 0; i < a.count; ++i) {
    for (int j = 0; j < b.count; ++j) {
      const Access& x = a.accesses[static_cast<std::size_t>(i)];
      const Access& y = b.accesses[static_cast<std::size_t>(j)];
      if (x.place == y.place && (x.write || y.write)) {
        return true;
      }
    }
  }
  return false;
}

bool dependent(const Footprint& a, const Footprint& b) {
  return a.everything || b.everything || conflict(a, b);
}

std::uint32_t signature_of(ThreadId thread, const Operation& op) {
  std::uint32_t hash = 2166136261u;  // FNV-1a
  for (const std::uint32_t part : {static_cast<std::uint32_t>(thread),
                                   static_cast<std::uint32_t>(op.kind),
                                   static_cast<std::uint32_t>(op.size),
                                   op.object,
                                   op.mutex,
                                   static_cast<std::uint32_t>(op.polled_count)}) {
    hash = (hash ^ part) * 16777619u;
  }
  return hash ^ (hash >> 15);
}

}  // namespace overbite::ordering
