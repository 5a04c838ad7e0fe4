// A thread of the blocking pool streams to a client that goes: before the request is taken, before
// the stream is open, while the thread waits for credit, behind the last frame.
#include "ordering/scenarios/pool_setup.h"

namespace overbite::ordering {

OVERBITE_SCENARIO(
    pool_stream_vs_disconnect,
    "whenever the client goes, its application is ended and its slot finished, exactly once") {
  Pool pool(1, {3});
  pool.submit({0, 1});
  pool.port.disconnect({0, 1});
  pool.end();
  require(pool.finished[0] == 1, "the slot is never finished");
  const executor::Call& call = pool.application.calls[0];
  require(!call.started || call.closed, "an application ran on for a client that is gone");
}

}  // namespace overbite::ordering
