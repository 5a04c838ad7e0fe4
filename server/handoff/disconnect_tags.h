// Which request of a slot has lost its client.
//
// The tag travels on the channel, its job on the ring, so the tag may arrive first: it stays here
// until the job comes, and the job is then not started. A tag of an earlier generation says nothing
// about the slot's next request.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "server/base/slot_ref.h"

namespace overbite::handoff {

class DisconnectTags {
 public:
  explicit DisconnectTags(std::size_t slots);

  // Any thread.
  void tag(base::SlotRef slot);
  // Any thread: true when this very request has lost its client.
  bool is_tagged(base::SlotRef slot) const;

 private:
  std::vector<std::atomic<std::uint32_t>> generations_;
};

}  // namespace overbite::handoff
