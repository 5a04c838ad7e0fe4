// A lane of the smallest size, and names for what timelines show of it.
#pragma once

#include <cstring>
#include <string>

#include "ordering/scenario.h"
#include "server/handoff/lane.h"

namespace overbite::ordering {

inline constexpr handoff::LaneSizes kSmallLane{
    .slots = 2, .submit_entries = 2, .completion_entries = 4, .credit_bytes = 4};

inline std::string message_words(const void* bytes, std::size_t size) {
  handoff::Message message;
  if (size != sizeof message) {
    return "a datagram of another size";
  }
  std::memcpy(&message, bytes, sizeof message);
  const char* kind = message.kind == handoff::MessageKind::kAbort        ? "abort"
                     : message.kind == handoff::MessageKind::kDisconnect ? "disconnect tag"
                                                                         : "message";
  return std::string(kind) + "(slot " + std::to_string(message.slot.index) + ", generation " +
         std::to_string(message.slot.generation) + ")";
}

inline void name_lane(handoff::Lane& lane) {
  name_datagrams(&message_words);
  name(lane, "lane");
  name(lane.submissions(), "submit ring");
  name(lane.completions(), "completion ring");
  name(lane.chunks(), "chunks");
  name(lane.tags(), "tags");
  name(lane.half_closed(), "half closed");
  name(lane.loop_waker(), "loop waker");
  name(lane.executor_waker(), "executor waker");
}

}  // namespace overbite::ordering
