#include "server/request/slot_table.h"

#include "server/base/check.h"

namespace overbite::request {

SlotTable::SlotTable(std::size_t slots) : owners_(slots) {
  free_.reserve(slots);
  for (std::size_t i = slots; i > 0; --i) {
    free_.push_back(static_cast<std::uint32_t>(i - 1));
  }
}

base::SlotRef SlotTable::acquire(Connection* owner) {
  CHECK(!full());
  const std::uint32_t index = free_.back();
  free_.pop_back();
  Slot& slot = owners_[index];
  if (++slot.generation == 0) {
    slot.generation = 1;  // 0 names no request
  }
  slot.used = true;
  slot.connection = owner;
  return {index, slot.generation};
}

bool SlotTable::current(base::SlotRef slot) const {
  CHECK_LT(slot.index, owners_.size());
  const Slot& known = owners_[slot.index];
  return known.used && known.generation == slot.generation;  // guard: generation-unchecked
}

bool SlotTable::release(base::SlotRef slot) {
  if (!current(slot)) {
    return false;
  }
  owners_[slot.index].used = false;
  owners_[slot.index].connection = nullptr;
  free_.push_back(slot.index);
  return true;
}

void SlotTable::orphan(base::SlotRef slot) {
  CHECK(current(slot));
  owners_[slot.index].connection = nullptr;
}

Connection* SlotTable::owner(base::SlotRef slot) const {
  return current(slot) ? owners_[slot.index].connection : nullptr;
}

}  // namespace overbite::request
