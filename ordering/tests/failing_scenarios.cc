// Scenarios that fail, each in its own way: what overbite-order says of them is tested.
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "ordering/scenario.h"

namespace overbite::ordering {
namespace {

struct Message {
  std::atomic<int> data{0};
  std::atomic<int> ready{0};
};

}  // namespace

OVERBITE_SCENARIO(lost_update, "both increments count") {
  std::atomic<int> total{0};
  name(total, "total");
  const auto add = [&total](const char* as) {
    name_thread(as);
    const int before = total.load();
    total.store(before + 1);
  };
  std::thread one(add, "one");
  std::thread two(add, "two");
  one.join();
  two.join();
  require(total.load() == 2, "an increment was lost");
}

OVERBITE_SCENARIO(message_passing_relaxed, "whoever sees the flag sees the data") {
  Message message;
  name(message.data, "data");
  name(message.ready, "ready");
  std::thread producer([&message] {
    name_thread("producer");
    message.data.store(42, std::memory_order_relaxed);
    message.ready.store(1, std::memory_order_relaxed);
  });
  std::thread consumer([&message] {
    name_thread("consumer");
    if (message.ready.load(std::memory_order_relaxed) == 1) {
      require(message.data.load(std::memory_order_relaxed) == 42, "the flag came before the data");
    }
  });
  producer.join();
  consumer.join();
}

OVERBITE_SCENARIO(store_buffering_acq_rel, "one of two sees the other") {
  Message flags;
  name(flags.data, "here");
  name(flags.ready, "there");
  int seen_here = 0;
  int seen_there = 0;
  std::thread one([&] {
    name_thread("one");
    flags.data.store(1, std::memory_order_release);
    seen_there = flags.ready.load(std::memory_order_acquire);
  });
  std::thread two([&] {
    name_thread("two");
    flags.ready.store(1, std::memory_order_release);
    seen_here = flags.data.load(std::memory_order_acquire);
  });
  one.join();
  two.join();
  require(seen_here == 1 || seen_there == 1, "neither saw the other");
}

OVERBITE_SCENARIO(plain_data_behind_relaxed_flag, "the data is published") {
  const auto data = std::make_unique<int>(0);
  std::atomic<int> ready{0};
  name(*data, "data");
  name(ready, "ready");
  std::thread producer([&] {
    name_thread("producer");
    *data = 42;
    ready.store(1, std::memory_order_relaxed);
  });
  std::thread consumer([&] {
    name_thread("consumer");
    if (ready.load(std::memory_order_acquire) == 1) {
      require(*data == 42, "not published");
    }
  });
  producer.join();
  consumer.join();
}

OVERBITE_SCENARIO(two_locks, "both get both locks") {
  std::mutex a;
  std::mutex b;
  name(a, "a");
  name(b, "b");
  std::thread one([&] {
    name_thread("one");
    const std::lock_guard first(a);
    const std::lock_guard second(b);
  });
  std::thread two([&] {
    name_thread("two");
    const std::lock_guard first(b);
    const std::lock_guard second(a);
  });
  one.join();
  two.join();
}

OVERBITE_SCENARIO(notified_too_early, "the sleeper is woken") {
  std::mutex mutex;
  std::condition_variable changed;
  std::atomic<int> ready{0};
  name(mutex, "mutex");
  name(changed, "changed");
  name(ready, "ready");
  std::thread sleeper([&] {
    name_thread("sleeper");
    if (ready.load() == 0) {  // outside the lock: the notification may come now
      std::unique_lock lock(mutex);
      changed.wait(lock);
    }
  });
  std::thread waker([&] {
    name_thread("waker");
    ready.store(1);
    changed.notify_one();
  });
  sleeper.join();
  waker.join();
}

OVERBITE_SCENARIO(spins_then_fails, "the count stays even") {
  std::atomic<int> busy{1};
  std::atomic<int> count{0};
  name(busy, "busy");
  name(count, "count");
  std::thread worker([&] {
    name_thread("worker");
    count.fetch_add(1);
    busy.store(0);
  });
  for (int turn = 0; turn < 6 && busy.load() != 0; ++turn) {
  }
  const int seen = count.load();
  worker.join();
  require(seen != 1 || busy.load() != 0, "the count is odd");
}

}  // namespace overbite::ordering
