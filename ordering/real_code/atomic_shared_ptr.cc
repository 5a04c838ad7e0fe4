// expect: fails, data race
// subject: std::atomic<std::shared_ptr>
// package: libstdc++-12-dev
// promise: a load beside a store gets the old or the new object, alive
// note: load() gives its lock bit back relaxed, so a store that follows is not ordered behind
//   what load() has read; known as google/sanitizers#1558. The report names the operation
//   (release would do).
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>

int main() {
  std::atomic<std::shared_ptr<int>> shared(std::make_shared<int>(1));
  std::thread writer([&shared] { shared.store(std::make_shared<int>(2)); });
  const std::shared_ptr<int> seen = shared.load();
  assert(*seen == 1 || *seen == 2);
  writer.join();
  assert(*shared.load() == 2);
}
