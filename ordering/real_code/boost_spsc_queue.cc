// expect: SC 55, RC11 58
// subject: boost::lockfree::spsc_queue
// package: libboost1.74-dev
// promise: what is pushed is popped, in order, also through a ring that was full
#include <boost/lockfree/spsc_queue.hpp>
#include <cassert>
#include <thread>

int main() {
  boost::lockfree::spsc_queue<int, boost::lockfree::capacity<2>> queue;
  int pushed = 0;
  std::thread producer([&] {
    for (int item = 1; item <= 3; ++item) {
      pushed += queue.push(item) ? 1 : 0;
    }
  });
  int last = 0;
  int popped = 0;
  for (int turn = 0; turn < 2; ++turn) {
    for (int item = 0; queue.pop(item); ++popped) {
      assert(item > last);
      last = item;
    }
  }
  producer.join();
  for (int item = 0; queue.pop(item); ++popped) {
    assert(item > last);
    last = item;
  }
  assert(popped == pushed && pushed >= 2);
}
