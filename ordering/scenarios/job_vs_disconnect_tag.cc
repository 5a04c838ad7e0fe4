// A job goes over the submit ring, the news that its client is gone over the channel. The executor
// reads the channel first, so the tag can arrive before its job: it has to be kept, or the job is
// started for nobody. And a tag of a slot's previous request must not hit its next one.
#include <poll.h>

#include <thread>
#include <vector>

#include "ordering/scenario.h"
#include "ordering/scenarios/lane_setup.h"

namespace overbite::ordering {
namespace {

constexpr handoff::SlotRef kEarlier{0, 1};
constexpr handoff::SlotRef kLater{0, 2};

// One turn of the executor: tags, then jobs. Counts what became of the jobs.
struct Executor {
  handoff::Lane& lane;
  int jobs = 0;
  // Whether the earlier request's job was taken after its tag, and started all the same.
  bool resurrected = false;
  bool later_refused = false;

  void take_messages() {
    std::vector<handoff::Message> messages;
    lane.executor_channel().receive_all(messages);
    for (const handoff::Message& message : messages) {
      if (message.kind == handoff::MessageKind::kDisconnect) {
        lane.tags().tag(message.slot);
        tag_seen = true;
      }
    }
  }
  void take_jobs() {
    handoff::Job job;
    while (lane.submissions().try_pop(job)) {
      ++jobs;
      const bool refused = lane.tags().is_tagged(job.slot);
      if (job.slot == kEarlier) {
        resurrected = resurrected || (tag_seen && !refused);
      } else {
        later_refused = later_refused || refused;
      }
    }
  }
  bool tag_seen = false;
};

}  // namespace

OVERBITE_SCENARIO(
    job_vs_disconnect_tag,
    "a job that is overtaken by its disconnect tag is not started, and no other is hit") {
  handoff::Lane lane(kSmallLane);
  name_lane(lane);
  name_thread("executor");
  std::thread loop([&lane] {
    name_thread("loop");
    require(lane.submit({handoff::JobKind::kStart, kEarlier, nullptr}), "the submit ring is full");
    require(lane.loop_channel().try_send({handoff::MessageKind::kDisconnect, kEarlier}),
            "the channel is full");
    require(lane.submit({handoff::JobKind::kStart, kLater, nullptr}), "the submit ring is full");
  });

  Executor executor{lane};
  executor.take_messages();
  executor.take_jobs();
  loop.join();
  executor.take_messages();
  executor.take_jobs();

  require(executor.jobs == 2, "a job is lost");
  require(!executor.resurrected, "a job overtaken by its disconnect tag was started");
  require(!executor.later_refused, "the tag of an earlier request hit the slot's next one");
}

}  // namespace overbite::ordering
