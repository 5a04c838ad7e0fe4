// expect: incomplete, cap reached: 30000 executions
// options: --max-executions 30000
// subject: moodycamel::ConcurrentQueue, two producers
// package: libconcurrentqueue-dev
// promise: what two producers enqueue is dequeued once, and in its producer's order
// note: no failure among them; the end is out of reach
#include <concurrentqueue/concurrentqueue.h>

#include <cassert>
#include <thread>

struct Small : moodycamel::ConcurrentQueueDefaultTraits {
  static const size_t BLOCK_SIZE = 2;
  static const size_t INITIAL_IMPLICIT_PRODUCER_HASH_SIZE = 2;
  static const size_t EXPLICIT_INITIAL_INDEX_SIZE = 2;
  static const size_t IMPLICIT_INITIAL_INDEX_SIZE = 2;
};

int main() {
  moodycamel::ConcurrentQueue<int, Small> queue(4);
  std::thread producer([&queue] {
    assert(queue.enqueue(1));
    assert(queue.enqueue(2));
  });
  assert(queue.enqueue(10));
  int sum = 0;
  int last = 0;
  const auto take = [&](int item) {
    assert(item == 10 || item == last + 1);
    last = item == 10 ? last : item;
    sum += item;
  };
  int item = 0;
  if (queue.try_dequeue(item)) {
    take(item);
  }
  producer.join();
  while (queue.try_dequeue(item)) {
    take(item);
  }
  assert(sum == 13);
}
