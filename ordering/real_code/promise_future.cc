// expect: SC 5, RC11 6
// subject: std::promise, std::future
// package: libstdc++-12-dev
// promise: the value is there when get() returns
#include <cassert>
#include <future>
#include <thread>

int main() {
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  std::thread thread([&promise] { promise.set_value(3); });
  assert(future.get() == 3);
  thread.join();
}
