// A ring of two entries and three jobs: the third is written into the cell of the first as soon as
// the first was taken out of it. The loop finds the ring full in between, keeps the job and tries
// again, as Connection does after the next pass.
#include <memory>
#include <thread>

#include "ordering/scenario.h"
#include "ordering/scenarios/lane_setup.h"
#include "server/base/payload.h"

namespace overbite::ordering {
namespace {

struct Numbered final : base::Payload {
  explicit Numbered(int of) : number(of) {}
  int number;
};

}  // namespace

OVERBITE_SCENARIO(ring_wrap_vs_pop,
                  "every job arrives once, whole and in order, also through a ring that was full") {
  handoff::Lane lane(kSmallLane);
  name_lane(lane);
  name_thread("executor");
  const auto job_of = [](int number) {
    return handoff::Job{handoff::JobKind::kStart, {0, 1}, std::make_unique<Numbered>(number)};
  };
  require(lane.submit(job_of(0)) && lane.submit(job_of(1)), "a ring of two takes two jobs");
  handoff::Job third = job_of(2);
  bool submitted = false;
  std::thread loop([&] {
    name_thread("loop");
    submitted = lane.submit(std::move(third));
  });
  int taken = 0;
  const auto take_all = [&lane, &taken] {
    for (handoff::Job job; lane.submissions().try_pop(job); ++taken) {
      require(job.payload != nullptr, "a job lost its request");
      require(static_cast<Numbered&>(*job.payload).number == taken, "a job came out of turn");
    }
  };
  take_all();
  loop.join();
  if (!submitted) {
    require(third.payload != nullptr, "a job was lost when the ring was full");
    require(lane.submit(std::move(third)), "an empty ring takes no job");
  }
  take_all();
  require(taken == 3, "a job is lost");
}

}  // namespace overbite::ordering
