#include "ordering/scenarios/planted.h"

#include <atomic>
#include <memory>
#include <thread>

#include "ordering/scenario.h"
#include "server/handoff/waker.h"

namespace overbite::ordering {

void planted_lost_update() {
  const auto sum = std::make_unique<std::atomic<int>>(0);
  const auto add = [&sum] { sum->store(sum->load() + 1); };
  std::thread first(add);
  std::thread second(add);
  first.join();
  second.join();
  require(sum->load() == 2, "planted: an update was lost");
}

void planted_race() {
  const auto cell = std::make_unique<int>(0);
  std::thread first([&cell] { *cell = 1; });
  std::thread second([&cell] { *cell = 2; });
  first.join();
  second.join();
}

void planted_handoff_probe() {
  handoff::Waker waker;
  waker.park();
  waker.poke();
  waker.unpark();
}

}  // namespace overbite::ordering
