// Deadlocks, and memory and locks that are not what their user thinks.
#include <pthread.h>
#include <semaphore.h>

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <shared_mutex>

#include "ordering/litmus/wrong.h"
#include "ordering/scenario.h"
#include "ordering/tests/model.h"

namespace overbite::ordering::litmus {
namespace {

constexpr auto kRlx = std::memory_order_relaxed;
constexpr auto kAcq = std::memory_order_acquire;
constexpr auto kRel = std::memory_order_release;

void take(std::atomic<int>& lock) {
  int expected = 0;
  await([&] { return lock.load(kRlx) == 0; });
  assume(lock.compare_exchange_strong(expected, 1, kAcq, kRlx));
}

void two_spin_locks() {
  const Cells locks(2);
  const auto both = [&](std::size_t first) {
    take(locks[first]);
    take(locks[1 - first]);
    locks[1 - first].store(0, kRel);
    locks[first].store(0, kRel);
  };
  in_parallel({[&] { both(0); }, [&] { both(1); }});
}

// Each says that it wants to and waits until the other does not.
void polite() {
  const Cells wants(2);
  const auto enter = [&](std::size_t me) {
    wants[me].store(1);
    await([&] { return wants[1 - me].load() == 0; });
    wants[me].store(0);
  };
  in_parallel({[&] { enter(0); }, [&] { enter(1); }});
}

void nobody_says_so() {
  const Cells x(1);
  in_parallel({[&] {
    await([&] { return x[0].load() == 1; });
    x[0].store(1);
  }});
}

// The other looks once, and may do so too early.
void looked_too_early() {
  const Cells x(2);
  in_parallel({[&] {
                 if (x[1].load() == 1) {
                   x[0].store(1);
                 }
               },
               [&] {
                 x[1].store(1);
                 await([&] { return x[0].load() == 1; });
               }});
}

void locked_twice() {
  std::mutex mutex;
  in_parallel({[&] {
    mutex.lock();
    mutex.lock();
  }});
}

void exclusive_behind_shared() {
  std::shared_mutex mutex;
  const Body one = [&] {
    mutex.lock_shared();
    mutex.lock();
    mutex.unlock();
  };
  in_parallel({one});
}

void one_too_few_at_the_barrier() {
  pthread_barrier_t barrier;
  ::pthread_barrier_init(&barrier, nullptr, 3);
  const Body one = [&] { ::pthread_barrier_wait(&barrier); };
  in_parallel({one, one});
}

void one_post_for_two() {
  sem_t semaphore;
  ::sem_init(&semaphore, 0, 0);
  const Body wait = [&] { ::sem_wait(&semaphore); };
  in_parallel({wait, wait, [&] { ::sem_post(&semaphore); }});
}

// Two wait, one is notified and nobody notifies the next.
void notified_one_of_two() {
  std::mutex mutex;
  std::condition_variable changed;
  bool ready = false;
  const Body wait = [&] {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return ready; });
  };
  in_parallel({wait, wait, [&] {
                 {
                   const std::lock_guard lock(mutex);
                   ready = true;
                 }
                 changed.notify_one();
               }});
}

void unlocked_by_another() {
  std::mutex mutex;
  const Cells x(1);
  in_parallel({[&] {
                 mutex.lock();
                 x[0].store(1);
                 await([&] { return x[0].load() == 2; });
                 mutex.unlock();
               },
               [&] {
                 if (x[0].load() == 1) {
                   mutex.unlock();
                 }
                 x[0].store(2);
               }});
}

void unlocked_unlocked() {
  std::mutex mutex;
  in_parallel({[&] { mutex.unlock(); }});
}

using Pointer = std::atomic<int*>;

void freed_behind_its_reader() {
  const auto p = std::make_unique<Pointer>(nullptr);
  in_parallel({[&] {
                 int* const made = new int(1);
                 p->store(made, kRel);
                 delete made;
               },
               [&] {
                 const int* const seen = p->load(kAcq);
                 if (seen != nullptr) {
                   require(*seen == 1, "never");
                 }
               }});
}

// By whoever sees it, and both may.
void freed_by_both() {
  const auto p = std::make_unique<Pointer>(new int(1));
  const Body one = [&] {
    int* const seen = p->load(kAcq);
    if (seen != nullptr) {
      p->store(nullptr, kRel);
      delete seen;
    }
  };
  in_parallel({one, one});
}

// An atomic in memory that is gone.
void atomic_after_free() {
  const auto cells = std::make_unique<std::atomic<std::atomic<int>*>>(new std::atomic<int>(1));
  in_parallel({[&] { delete cells->load(kRlx); }, [&] { cells->load(kRlx)->store(42, kRlx); }});
}

// `publish`: the order of the store.
Body published(std::memory_order publish) {
  return [publish] {
    const auto p = std::make_unique<Pointer>(nullptr);
    in_parallel({[&p, publish] { p->store(new int(17), publish); },
                 [&p] {
                   int* const seen = p->load(kAcq);
                   if (seen != nullptr) {
                     *seen = 18;
                   }
                 }});
    delete p->load(kRlx);
  };
}

void read_through_null() {
  const auto p = std::make_unique<Pointer>(nullptr);
  int made = 1;
  in_parallel({[&] { p->store(&made, kRel); }, [&] { require(*p->load(kAcq) == 1, "never"); }});
}

void aborts_if_late() {
  const Cells x(1);
  in_parallel({[&] { x[0].store(1); },
               [&] {
                 if (x[0].load() == 1) {
                   std::abort();
                 }
               }});
}

void sum_too_large() {
  const Cells x(2);
  x[0].store(1, kRlx);
  x[1].store(1, kRlx);
  const auto add = [&](std::size_t into) {
    for (int i = 0; i < 2; ++i) {
      const int first = x[0].load(kRlx);
      x[into].store(first + x[1].load(kRlx), kRlx);
    }
  };
  in_parallel({[&] { add(0); },
               [&] { add(1); },
               [&] {
                 constexpr int kMost = 8;
                 require(x[0].load(kRlx) < kMost && x[1].load(kRlx) < kMost, "too large");
               }});
}

}  // namespace

std::vector<Wrong> wrong_waits() {
  constexpr auto kDeadlock = FailureKind::kDeadlock;
  return {
      {"liveness/lock-deadlock", kDeadlock, kDeadlock, "", two_spin_locks},
      {"liveness/lamport-deadlock", kDeadlock, kDeadlock, "", polite},
      {"liveness/spinloop", kDeadlock, kDeadlock, "", nobody_says_so},
      {"liveness/simple", kDeadlock, kDeadlock, "", looked_too_early},
      {"locked twice", kDeadlock, kDeadlock, "", locked_twice},
      {"exclusive behind shared", kDeadlock, kDeadlock, "", exclusive_behind_shared},
      {"one too few at the barrier", kDeadlock, kDeadlock, "", one_too_few_at_the_barrier},
      {"one post for two", kDeadlock, kDeadlock, "", one_post_for_two},
      {"notified one of two", kDeadlock, kDeadlock, "", notified_one_of_two},
  };
}

std::vector<Wrong> wrong_uses() {
  constexpr auto kCrash = FailureKind::kCrash;
  constexpr auto kRace = FailureKind::kDataRace;
  constexpr auto kRequirement = FailureKind::kRequirement;
  constexpr auto kMemory = FailureKind::kMemory;
  return {
      {"locking/diff-thread-unlock", kCrash, kCrash, "", unlocked_by_another},
      {"unlocked unlocked", kCrash, kCrash, "", unlocked_unlocked},
      {"memory/access-freed", kRace, kRace, "", freed_behind_its_reader},
      {"memory/access-freed2", kRace, kRace, "", atomic_after_free},
      {"freed by both", kMemory, kMemory, "", freed_by_both},
      {"memory/malloc-not-hb", kRace, kRace, "", published(kRlx)},
      {"published by release", FailureKind::kNone, FailureKind::kNone, "", published(kRel)},
      {"memory/read-from-null", kCrash, kCrash, "", read_through_null},
      {"aborts", kCrash, kCrash, "", aborts_if_late},
      {"safety/fib_bench", kRequirement, kRequirement, "", sum_too_large},
  };
}

}  // namespace overbite::ordering::litmus
