// The loop has served its last request while the main thread is about to wait for that: before,
// during or after, the main thread hears of it, and then of the end of each thread (hypercorn#145:
// a stop that was noticed only when something else happened).
#include <chrono>
#include <thread>

#include "ordering/scenarios/pool_setup.h"

namespace overbite::ordering {
namespace {

constexpr std::int64_t kLongMs = 1000;  // passes only when nothing else can happen

template <typename Wait>
bool at_once(Wait wait) {
  const auto before = std::chrono::steady_clock::now();
  return wait() && std::chrono::steady_clock::now() - before < std::chrono::milliseconds(kLongMs);
}

}  // namespace

OVERBITE_SCENARIO(pool_close_vs_wait,
                  "who waits for the end of the pool is told of it, whenever it comes") {
  Pool pool(2, {});
  name_thread("main");
  std::thread loop([&pool] {
    name_thread("loop");
    pool.port.loop_finished();
  });
  require(at_once([&pool] { return pool.pool.wait_closed(kLongMs); }),
          "the end of the loop is not noticed");
  require(at_once([&pool] { return pool.pool.wait_ended(kLongMs); }),
          "the end of a thread is not noticed");
  loop.join();
}

}  // namespace overbite::ordering
