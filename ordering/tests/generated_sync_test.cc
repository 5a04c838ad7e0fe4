// As generated_blocking_test.cc, with shared locks, barriers, semaphores, call_once, spin locks,
// timed locks and sleep.
#include <gtest/gtest.h>
#include <pthread.h>
#include <semaphore.h>

#include <chrono>
#include <cstdlib>
#include <map>
#include <mutex>
#include <random>
#include <shared_mutex>
#include <string>
#include <thread>

#include "ordering/scenario.h"
#include "ordering/tests/generated.h"

namespace overbite::ordering {
namespace {

enum class Act {
  kStore,
  kLoad,
  kReadShared,  // a load under the shared lock
  kWriteExclusive,
  kTryShared,
  kTryExclusive,
  kUpgrade,  // shared, then exclusive: two of them never wait for each other
  kBarrier,
  kPost,
  kTake,
  kTryTake,
  kTakeTimed,
  kOnce,
  kSpinLocked,
  kTrySpin,
  kTimedLock,  // a mutex
  kLocked,
  kSleep,
  kCount,
};

struct Op {
  Act act;
  bool other;  // which of two objects
};
// Fresh in every execution.
struct World {
  World() {
    for (int i = 0; i < 2; ++i) {
      ::pthread_barrier_init(&barriers[i], nullptr, 2);
      ::sem_init(&semaphores[i], 0, i == 0 ? 0 : 1);
      ::pthread_spin_init(&spins[i], PTHREAD_PROCESS_PRIVATE);
    }
  }

  Cells cells{2};
  std::shared_mutex shared[2];
  pthread_barrier_t barriers[2]{};
  sem_t semaphores[2]{};
  std::once_flag once[2];
  pthread_spinlock_t spins[2]{};
  std::timed_mutex mutexes[2];
};

timespec in_milliseconds(int milliseconds) {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  constexpr long kSecond = 1'000'000'000;
  now.tv_nsec += milliseconds * 1'000'000L;
  now.tv_sec += now.tv_nsec / kSecond;
  now.tv_nsec %= kSecond;
  return now;
}

void use_shared_lock(const Op& op, World& world) {
  std::shared_mutex& mutex = world.shared[op.other ? 1 : 0];
  switch (op.act) {
    case Act::kReadShared: {
      const std::shared_lock lock(mutex);
      world.cells[0].load();
      break;
    }
    case Act::kWriteExclusive: {
      const std::lock_guard lock(mutex);
      world.cells[0].store(2);
      break;
    }
    case Act::kTryShared:
      if (mutex.try_lock_shared()) {
        mutex.unlock_shared();
      }
      break;
    case Act::kTryExclusive:
      if (mutex.try_lock()) {
        world.cells[0].store(3);
        mutex.unlock();
      }
      break;
    default: {
      const std::shared_lock first(mutex);
      const std::lock_guard second(world.shared[op.other ? 0 : 1]);
      break;
    }
  }
}

void use_semaphore(const Op& op, World& world) {
  sem_t* const semaphore = &world.semaphores[op.other ? 1 : 0];
  switch (op.act) {
    case Act::kPost:
      ::sem_post(semaphore);
      break;
    case Act::kTake:
      ::sem_wait(semaphore);
      break;
    case Act::kTryTake:
      ::sem_trywait(semaphore);
      break;
    default: {
      const timespec until = in_milliseconds(op.other ? 3 : 7);
      ::sem_timedwait(semaphore, &until);
      break;
    }
  }
}

void use_lock(const Op& op, World& world) {
  const int which = op.other ? 1 : 0;
  switch (op.act) {
    case Act::kSpinLocked:
      ::pthread_spin_lock(&world.spins[which]);
      world.cells[1].store(2);
      ::pthread_spin_unlock(&world.spins[which]);
      break;
    case Act::kTrySpin:
      if (::pthread_spin_trylock(&world.spins[which]) == 0) {
        ::pthread_spin_unlock(&world.spins[which]);
      }
      break;
    case Act::kTimedLock:
      if (world.mutexes[which].try_lock_for(std::chrono::milliseconds(5))) {
        world.cells[1].load();
        world.mutexes[which].unlock();
      }
      break;
    default: {
      const std::lock_guard lock(world.mutexes[which]);
      ::pthread_barrier_wait(&world.barriers[which]);  // it may wait here, and others for it
      break;
    }
  }
}

void perform(const Op& op, World& world) {
  const int which = op.other ? 1 : 0;
  switch (op.act) {
    case Act::kStore:
      world.cells[op.other ? 1 : 0].store(1);
      break;
    case Act::kLoad:
      world.cells[op.other ? 1 : 0].load();
      break;
    case Act::kBarrier:
      ::pthread_barrier_wait(&world.barriers[which]);
      break;
    case Act::kOnce:
      std::call_once(world.once[which], [&] { world.cells[0].store(4); });
      break;
    case Act::kSleep:
      std::this_thread::sleep_for(std::chrono::milliseconds(op.other ? 3 : 5));
      break;
    case Act::kPost:
    case Act::kTake:
    case Act::kTryTake:
    case Act::kTakeTimed:
      use_semaphore(op, world);
      break;
    case Act::kSpinLocked:
    case Act::kTrySpin:
    case Act::kTimedLock:
    case Act::kLocked:
      use_lock(op, world);
      break;
    default:
      use_shared_lock(op, world);
      break;
  }
}

Generated<Op> sync_programs() {
  const auto operation = [](std::mt19937& random) {
    return Op{static_cast<Act>(below(random, static_cast<unsigned>(Act::kCount))),
              below(random, 2) == 1};
  };
  return {.generate = [operation](auto& random) { return small_program<Op>(random, operation); },
          .body_of = in_world<World, Op>(&perform),
          .words =
              [](const Op& op) {
                constexpr const char* kWords[] = {"store",
                                                  "load",
                                                  "read-shared",
                                                  "write-exclusive",
                                                  "try-shared",
                                                  "try-exclusive",
                                                  "upgrade",
                                                  "barrier",
                                                  "post",
                                                  "take",
                                                  "try-take",
                                                  "take-timed",
                                                  "once",
                                                  "spin-locked",
                                                  "try-spin",
                                                  "timed-lock",
                                                  "locked-barrier",
                                                  "sleep"};
                static_assert(std::size(kWords) == static_cast<std::size_t>(Act::kCount));
                return std::string(kWords[static_cast<int>(op.act)]) + (op.other ? "'" : "");
              },
          .schedules_max = 10000};
}

TEST(GeneratedSync, ReducedSearchEqualsBruteForce) {
  constexpr int kPrograms = 2000;
  const auto verdicts = sync_programs().expect_same(kPrograms, 20261205u);
  // The generator must not drift into programs that show nothing.
  EXPECT_GT(verdicts.at(Verdict::kPass), kPrograms / 4);
  EXPECT_GT(verdicts.at(Verdict::kFail), kPrograms / 10);
}

}  // namespace
}  // namespace overbite::ordering
