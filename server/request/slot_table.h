// The slots: who a reply belongs to. Loop thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "server/base/slot_ref.h"

namespace overbite::request {

class Connection;

class SlotTable {
 public:
  explicit SlotTable(std::size_t slots);

  bool full() const { return free_.empty(); }
  std::size_t in_use() const { return owners_.size() - free_.size(); }
  // Not when full. The slot's generation is new.
  base::SlotRef acquire(Connection* owner);
  // The executor has finished with it. False: the slot is in another generation by now, or free.
  bool release(base::SlotRef slot);
  // The client is gone; the executor still has to finish. Until then the slot is nobody's.
  void orphan(base::SlotRef slot);
  // Whose the slot is. Null: the generation has passed, or the client is gone.
  Connection* owner(base::SlotRef slot) const;

 private:
  bool current(base::SlotRef slot) const;

  struct Slot {
    std::uint32_t generation = 0;
    bool used = false;
    Connection* connection = nullptr;
  };
  std::vector<Slot> owners_;
  std::vector<std::uint32_t> free_;
};

}  // namespace overbite::request
