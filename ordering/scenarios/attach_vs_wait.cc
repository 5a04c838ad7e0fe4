// A thread of the pool waits: for a client that reads nothing, for the next job. The interpreter
// has to be free for others meanwhile, or one slow client stops the whole server. Waiting or
// joining while attached is granian#875 and its kind.
#include "ordering/scenarios/pool_setup.h"

namespace overbite::ordering {

OVERBITE_SCENARIO(attach_vs_wait,
                  "a thread that waits for its client or for a job leaves the interpreter free") {
  constexpr handoff::SlotRef kSlow{0, 1};
  Pool pool(1, {3});
  pool.submit(kSlow);
  await([&pool] { return pool.lane.chunks().has_frames(); });  // the credit is used up
  {
    const python::Attached attached;
  }
  pool.port.disconnect(kSlow);
  while (pool.finished[0] == 0) {
    await([&pool] { return pool.lane.completions().has_next(); });
    pool.port.run(pool);
  }
  {
    const python::Attached attached;
  }
  pool.end();
}

}  // namespace overbite::ordering
