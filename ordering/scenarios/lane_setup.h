// A lane of the smallest size, and names for what timelines show of it.
#pragma once

#include "ordering/scenario.h"
#include "server/handoff/lane.h"

namespace overbite::ordering {

inline constexpr handoff::LaneSizes kSmallLane{
    .slots = 2, .submit_entries = 2, .completion_entries = 4, .credit_bytes = 4};

inline void name_lane(handoff::Lane& lane) {
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
