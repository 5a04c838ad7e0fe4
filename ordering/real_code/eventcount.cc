// expect: SC 39, RC11 fails, deadlock
// subject: std::atomic::wait in an eventcount
// package: libstdc++-12-dev
// promise: a waiter that has seen the old count, looks, and finds nothing is woken by whoever
//   publishes after that
// note: as std::latch
#include <atomic>
#include <cassert>
#include <thread>

struct EventCount {
  std::atomic<unsigned> count{0};
  unsigned prepare() const { return count.load(std::memory_order_acquire); }
  void wait(unsigned seen) const { count.wait(seen, std::memory_order_acquire); }
  void notify() {
    count.fetch_add(1, std::memory_order_acq_rel);
    count.notify_all();
  }
};

int main() {
  EventCount events;
  std::atomic<int> item{0};
  std::thread producer([&] {
    item.store(1, std::memory_order_release);
    events.notify();
  });
  while (true) {
    const unsigned seen = events.prepare();
    if (item.load(std::memory_order_acquire) == 1) {
      break;
    }
    events.wait(seen);
  }
  producer.join();
}
