// What pthread and semaphore calls return, and what they report when they are misused.
#include <gtest/gtest.h>
#include <pthread.h>
#include <semaphore.h>

#include <cerrno>
#include <condition_variable>
#include <ctime>
#include <mutex>
#include <string>

#include "ordering/scenario.h"
#include "ordering/tests/model.h"

namespace overbite::ordering {
namespace {

// How an exploration of a single thread fails.
std::string failure_of(const Body& body) { return explored(body).failed.failure.message; }

timespec in_milliseconds(long ms) {
  timespec time{};
  ::clock_gettime(CLOCK_REALTIME, &time);
  time.tv_nsec += ms * 1'000'000;
  return time;
}

void init_as(pthread_mutex_t& mutex, int type) {
  pthread_mutexattr_t attributes;
  ::pthread_mutexattr_init(&attributes);
  ::pthread_mutexattr_settype(&attributes, type);
  ::pthread_mutex_init(&mutex, &attributes);
}

TEST(Posix, AnUnlockOfWhatIsNotHeldIsReported) {
  const auto expect_reported = [](const Body& body) {
    EXPECT_NE(failure_of(body).find("by a thread that does not hold it"), std::string::npos)
        << "not reported";
  };
  expect_reported([] {
    pthread_spinlock_t lock;
    ::pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    ::pthread_spin_unlock(&lock);
  });
  expect_reported([] {
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    ::pthread_mutex_unlock(&lock);
  });
  // Somebody else has it, and would be robbed of it.
  expect_reported([] {
    pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    ::pthread_rwlock_rdlock(&lock);
    in_parallel({[&lock] { ::pthread_rwlock_unlock(&lock); }});
  });
}

TEST(Posix, AMutexThatChecksReturnsWhatIsWrong) {
  EXPECT_EQ(failure_of([] {
              pthread_mutex_t lock;
              init_as(lock, PTHREAD_MUTEX_ERRORCHECK);
              require(::pthread_mutex_unlock(&lock) == EPERM, "unlock");
              require(::pthread_mutex_lock(&lock) == 0, "lock");
              require(::pthread_mutex_lock(&lock) == EDEADLK, "lock again");
              require(::pthread_mutex_trylock(&lock) == EBUSY, "try again");
              require(::pthread_mutex_unlock(&lock) == 0, "unlock");
            }),
            "");
}

TEST(Posix, ARecursiveMutexIsFreeAfterAsManyUnlocks) {
  EXPECT_EQ(failure_of([] {
              pthread_mutex_t lock;
              init_as(lock, PTHREAD_MUTEX_RECURSIVE);
              ::pthread_mutex_lock(&lock);
              require(::pthread_mutex_trylock(&lock) == 0, "try again");
              ::pthread_mutex_unlock(&lock);
              in_parallel({[&lock] { require(::pthread_mutex_trylock(&lock) == EBUSY, "free"); }});
              ::pthread_mutex_unlock(&lock);
              require(::pthread_mutex_unlock(&lock) == EPERM, "once too often");
            }),
            "");
}

TEST(Posix, AWriterThatWantsItsSharedLockAgainIsTold) {
  EXPECT_EQ(failure_of([] {
              pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
              ::pthread_rwlock_wrlock(&lock);
              require(::pthread_rwlock_rdlock(&lock) == EDEADLK, "read");
              require(::pthread_rwlock_wrlock(&lock) == EDEADLK, "write");
              require(::pthread_rwlock_tryrdlock(&lock) == EBUSY, "try");
              ::pthread_rwlock_unlock(&lock);
            }),
            "");
}

TEST(Posix, ASharedLockIsWaitedForUntilADeadline) {
  EXPECT_EQ(failure_of([] {
              pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
              ::pthread_rwlock_rdlock(&lock);
              in_parallel({[&lock] {
                const timespec until = in_milliseconds(3);
                require(::pthread_rwlock_timedrdlock(&lock, &until) == 0, "readers");
                ::pthread_rwlock_unlock(&lock);
                require(::pthread_rwlock_timedwrlock(&lock, &until) == ETIMEDOUT, "a writer");
              }});
              ::pthread_rwlock_unlock(&lock);
            }),
            "");
}

TEST(Posix, ASemaphoreTellsItsValue) {
  EXPECT_EQ(failure_of([] {
              sem_t semaphore;
              ::sem_init(&semaphore, 0, 2);
              ::sem_wait(&semaphore);
              int value = 0;
              ::sem_getvalue(&semaphore, &value);
              require(value == 1, "not 1");
            }),
            "");
}

TEST(Posix, EveryThreadHasItsValueAndDestroysIt) {
  EXPECT_EQ(failure_of([] {
              const Cells destroyed(2);
              pthread_key_t key = 0;
              ::pthread_key_create(
                  &key, [](void* cell) { static_cast<std::atomic<int>*>(cell)->fetch_add(1); });
              in_parallel({[&] { ::pthread_setspecific(key, &destroyed[0]); },
                           [&] {
                             require(::pthread_getspecific(key) == nullptr, "another's value");
                             ::pthread_setspecific(key, &destroyed[1]);
                             require(::pthread_getspecific(key) == &destroyed[1], "not its own");
                           }});
              require(destroyed[0].load() == 1 && destroyed[1].load() == 1, "not destroyed");
            }),
            "");
}

// Two of whom one waits with an `if`: right, until a wait ends for no reason.
Body waits_without_a_loop(bool loop) {
  return [loop] {
    std::mutex mutex;
    std::condition_variable changed;
    bool ready = false;
    in_parallel({[&] {
                   std::unique_lock lock(mutex);
                   while (!ready) {
                     changed.wait(lock);
                     if (!loop) {
                       require(ready, "woken for no reason");
                     }
                   }
                 },
                 [&] {
                   const std::lock_guard lock(mutex);
                   ready = true;
                   changed.notify_one();
                 }});
  };
}

TEST(Posix, AWaitMayEndForNoReasonAsOftenAsIsAllowed) {
  for (const Model model : {Model::kSc, Model::kRc11}) {
    EXPECT_EQ(explored(waits_without_a_loop(false), {}, model).reason, "");
    EXPECT_EQ(explored(waits_without_a_loop(false), {.spurious = 1}, model).reason,
              "woken for no reason");
    EXPECT_EQ(explored(waits_without_a_loop(true), {.spurious = 2}, model).reason, "");
  }
}

TEST(Posix, AMutexOfAnotherProtocolIsRefused) {
  const Exploration found = explored([] {
    pthread_mutexattr_t attributes;
    ::pthread_mutexattr_init(&attributes);
    ::pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_t lock;
    ::pthread_mutex_init(&lock, &attributes);
    ::pthread_mutex_lock(&lock);
  });
  EXPECT_EQ(found.verdict, Verdict::kStopped);
  EXPECT_NE(found.reason.find("robust"), std::string::npos) << found.reason;
}

}  // namespace
}  // namespace overbite::ordering
