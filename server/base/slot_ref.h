// The name of one request's slot. An index is reused, a generation never is (it wraps after 2^32
// uses of one slot), so a late message about an earlier request can be told from a current one.
#pragma once

#include <cstdint>

namespace overbite::base {

struct SlotRef {
  std::uint32_t index = 0;
  std::uint32_t generation = 0;  // 0 names no request

  friend bool operator==(const SlotRef&, const SlotRef&) = default;
};

}  // namespace overbite::base
