// expect: SC 20, RC11 38
// subject: std::counting_semaphore
// package: libstdc++-12-dev
// promise: as many go through as were let in, and each sees what was written before
#include <cassert>
#include <semaphore>
#include <thread>

int main() {
  std::counting_semaphore<2> semaphore(0);
  int data = 0;
  std::thread producer([&] {
    data = 5;
    semaphore.release();
  });
  semaphore.acquire();
  assert(data == 5);
  producer.join();
  assert(!semaphore.try_acquire());
}
