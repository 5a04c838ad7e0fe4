// The main thread says of every open stream that it is alive. Its message may come when the stream
// has ended and the slot serves the next client already: there it must count for nothing.
#include <thread>

#include "ordering/scenarios/pool_setup.h"
#include "server/request/slot_table.h"

namespace overbite::ordering {

OVERBITE_SCENARIO(heartbeat_vs_slot_reuse,
                  "a heartbeat reaches the request it was sent for, or nobody") {
  int clients[2] = {0, 0};
  const auto client = [&clients](int index) {
    return reinterpret_cast<request::Connection*>(&clients[index]);
  };
  request::SlotTable slots(1);
  Pool pool(1, {1});
  const handoff::SlotRef earlier = slots.acquire(client(0));
  pool.submit(earlier);
  std::thread main([&pool] {
    name_thread("main");
    pool.pool.beat();
  });
  await([&pool] { return pool.lane.chunks().has_frames(); });  // the last one: the stream has ended
  pool.port.run(pool);
  require(pool.finished[0] == 1 && slots.release(earlier), "the stream never ended");
  const handoff::SlotRef later = slots.acquire(client(1));
  main.join();
  pool.pool.close();
  require(pool.pool.wait_ended(1000), "a thread of the pool never ends");
  pool.port.run(pool);
  for (const handoff::Message& message : pool.messages) {
    require(slots.owner(message.slot) == nullptr || message.slot == later,
            "a heartbeat of an earlier request keeps the slot's next one alive");
  }
  pool.messages.clear();
  pool.pool.beat();
  pool.port.run(pool);
  require(pool.messages.empty(), "a stream that has ended still says that it is alive");
}

}  // namespace overbite::ordering
