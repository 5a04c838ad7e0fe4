// expect: fails, data race
// subject: boost::lockfree::stack, fixed size
// package: libboost1.74-dev
// promise: a pop that overlaps with pop and push takes no node twice
// note: likewise, in pop(); known as boostorg/lockfree#22
#include <boost/lockfree/stack.hpp>
#include <cassert>
#include <thread>

int main() {
  boost::lockfree::stack<int, boost::lockfree::capacity<2>> stack;
  assert(stack.push(1) && stack.push(2));
  int first = 0;
  std::thread other([&] { assert(stack.pop(first)); });
  int second = 0;
  assert(stack.pop(second));
  assert(stack.push(4));
  other.join();
  int last = 0;
  int rest = 0;
  while (stack.pop(last)) {
    rest += last;
  }
  assert(first + second + rest == 7 && first != second);
}
