#include "server/handoff/disconnect_tags.h"

#include "server/base/check.h"

namespace overbite::handoff {

DisconnectTags::DisconnectTags(std::size_t slots) : generations_(slots) {}

void DisconnectTags::tag(base::SlotRef slot) {
  CHECK_LT(slot.index, generations_.size());
  generations_[slot.index].store(slot.generation, std::memory_order_release);
}

bool DisconnectTags::is_tagged(base::SlotRef slot) const {
  CHECK_LT(slot.index, generations_.size());
  const std::uint32_t tagged = generations_[slot.index].load(std::memory_order_acquire);
  return tagged == slot.generation;  // guard: disconnect-tag-ignored
}

}  // namespace overbite::handoff
