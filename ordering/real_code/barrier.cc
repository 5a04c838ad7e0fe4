// expect: SC 168, RC11 392
// subject: std::barrier
// package: libstdc++-12-dev
// promise: both threads of a phase have arrived before either goes on
#include <barrier>
#include <cassert>
#include <thread>

int main() {
  std::barrier barrier(2);
  int mine = 0;
  int other = 0;
  std::thread thread([&] {
    other = 1;
    barrier.arrive_and_wait();
    assert(mine == 1);
  });
  mine = 1;
  barrier.arrive_and_wait();
  assert(other == 1);
  thread.join();
}
