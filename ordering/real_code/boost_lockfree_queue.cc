// expect: fails, data race
// subject: boost::lockfree::queue, fixed size
// package: libboost1.74-dev
// promise: nothing is lost or doubled, whoever pushes and pops
// note: the free list reads the link of a node that another thread has taken and constructs
//   anew; the tag in the head makes the stale link harmless, but to C++ it is a race; known as
//   boostorg/lockfree#78
#include <boost/lockfree/queue.hpp>
#include <cassert>
#include <thread>

int main() {
  boost::lockfree::queue<int, boost::lockfree::capacity<2>> queue;
  std::thread producer([&queue] { assert(queue.push(1)); });
  assert(queue.push(2));
  int sum = 0;
  for (int item = 0; queue.pop(item);) {
    sum += item;
  }
  producer.join();
  for (int item = 0; queue.pop(item);) {
    sum += item;
  }
  assert(sum == 3);
}
