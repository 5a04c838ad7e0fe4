// expect: SC 5, RC11 5
// subject: moodycamel::LightweightSemaphore
// package: libconcurrentqueue-dev
// promise: no wake-up is lost
#include <concurrentqueue/concurrentqueue.h>
#include <concurrentqueue/lightweightsemaphore.h>

#include <cassert>
#include <thread>

int main() {
  moodycamel::LightweightSemaphore semaphore(0, 2);
  int data = 0;
  std::thread producer([&] {
    data = 7;
    semaphore.signal();
  });
  assert(semaphore.wait());
  assert(data == 7);
  producer.join();
}
