// Two threads complete while the loop goes to sleep and wakes: several pokes may fall together into
// one read of the eventfd, or come when the loop is awake already.
#include <poll.h>

#include <thread>

#include "ordering/scenario.h"
#include "ordering/scenarios/lane_setup.h"
#include "server/handoff/drain.h"

namespace overbite::ordering {
namespace {

constexpr int kTurnsMax = 6;  // each poke ends one sleep, and each completion prevents one

bool readable(int fd) {
  pollfd entry{fd, POLLIN, 0};
  return ::poll(&entry, 1, 0) != 0;
}

}  // namespace

OVERBITE_SCENARIO(
    poke_vs_poke,
    "pokes that fall together lose no completion, and none is left that wakes for nothing") {
  handoff::Lane lane(kSmallLane);
  name_lane(lane);
  name_thread("loop");
  const auto complete = [&lane](std::uint32_t index) {
    lane.complete({handoff::CompletionKind::kDone, {index, 1}, nullptr});
  };
  std::thread first([&] {
    name_thread("first");
    complete(0);
  });
  std::thread second([&] {
    name_thread("second");
    complete(1);
  });
  handoff::Batch batch;
  int turns = 0;
  while (batch.completions.size() < 2) {
    require(++turns <= kTurnsMax, "the loop is woken for nothing, again and again");
    if (lane.loop_may_sleep()) {
      pollfd waker{lane.loop_waker().fd(), POLLIN, 0};
      ::poll(&waker, 1, -1);
      lane.loop_woke();
    }
    handoff::drain_completions_into(lane, batch);
  }
  first.join();
  second.join();
  lane.loop_woke();
  require(!readable(lane.loop_waker().fd()), "the loop is woken for nothing, again and again");
}

}  // namespace overbite::ordering
