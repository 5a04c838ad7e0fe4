// A request waits in the queue while the only thread of the pool waits for another client. By the
// time it is taken its own client may be gone, or the server be stopping: it has to be looked at
// again, and the answer in memory is all there is, since no thread of the pool reads the channel.
#include "ordering/scenarios/pool_setup.h"

namespace overbite::ordering {
namespace {

constexpr handoff::SlotRef kBusy{0, 1};
constexpr handoff::SlotRef kWaiting{1, 1};

// Until the thread has used up the credit of the first request.
void occupy(Pool& pool) {
  pool.submit(kBusy);
  pool.submit(kWaiting);
  await([&pool] { return pool.lane.chunks().has_frames(); });
  pool.port.run(pool);
}

}  // namespace

OVERBITE_SCENARIO(disconnect_vs_waiting_job,
                  "a request whose client goes while it waits for a thread is never started") {
  Pool pool(1, {3, 1});
  occupy(pool);
  pool.port.disconnect(kWaiting);
  pool.port.grant(kBusy, 4);
  pool.end();
  require(!pool.application.calls[1].started,
          "an application was started for a client that is gone");
  require(pool.finished[0] == 1 && pool.finished[1] == 1, "a slot is never finished");
}

OVERBITE_SCENARIO(stop_vs_waiting_job,
                  "a response that begins after the stop says that the connection closes") {
  Pool pool(1, {3, 0});
  occupy(pool);
  pool.port.announce_stop();
  pool.port.grant(kBusy, 4);
  pool.end();
  require(pool.application.calls[1].told_to_close, "a response of a stopping server keeps alive");
  require(pool.finished[0] == 1 && pool.finished[1] == 1, "a request that had arrived is lost");
}

}  // namespace overbite::ordering
