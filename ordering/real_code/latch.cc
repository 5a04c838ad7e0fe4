// expect: SC 2086, RC11 fails, deadlock
// subject: std::latch
// package: libstdc++-12-dev
// promise: who waits goes on when all have arrived, and sees what they wrote
// note: the count goes down with release, then the number of waiters is loaded: C++ lets that
//   load miss the waiter, who is then never woken. x86 and ARMv8 do not do it, for their own
//   reasons.
#include <cassert>
#include <latch>
#include <thread>

int main() {
  std::latch latch(2);
  int left = 0;
  int right = 0;
  std::thread first([&] {
    left = 1;
    latch.count_down();
  });
  std::thread second([&] {
    right = 2;
    latch.count_down();
  });
  latch.wait();
  assert(left + right == 3);
  first.join();
  second.join();
}
