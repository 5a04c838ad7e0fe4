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
#include "ordering/tests/model.h"

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
using Program = std::vector<std::vector<Op>>;

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

Program generate(std::mt19937& random) {
  const auto below = [&random](unsigned n) { return static_cast<unsigned>(random() % n); };
  Program program(2 + below(2));
  const unsigned most = program.size() == 2 ? 3 : 2;
  for (auto& thread : program) {
    thread.resize(1 + below(most));
    for (Op& op : thread) {
      op = {static_cast<Act>(below(static_cast<unsigned>(Act::kCount))), below(2) == 1};
    }
  }
  return program;
}

std::string text_of(const Program& program) {
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
  std::string text;
  for (const auto& thread : program) {
    for (const Op& op : thread) {
      text += std::string(kWords[static_cast<int>(op.act)]) + (op.other ? "' " : " ");
    }
    text += "| ";
  }
  return text;
}

Body body_of(const Program& program) {
  return [&program] {
    World world;
    std::vector<Body> bodies;
    for (const auto& thread : program) {
      bodies.push_back([&thread, &world] {
        for (const Op& op : thread) {
          perform(op, world);
        }
      });
    }
    in_parallel(bodies);
  };
}

struct Comparison {
  bool finished = false;  // brute force came to an end
  Verdict verdict = Verdict::kPass;
  std::string difference;
};

Comparison compare(const Program& program) {
  constexpr std::uint64_t kSchedulesMax = 10000;
  Comparison result;
  Machine machine;
  BruteForce search(machine);
  const Exploration brute =
      explore(machine, body_of(program), search, {.executions_max = kSchedulesMax});
  if (brute.verdict == Verdict::kIncomplete) {
    return result;
  }
  result.finished = true;
  result.verdict = brute.verdict;
  const Exploration found = explored(body_of(program));
  const bool same =
      found.verdict == brute.verdict &&
      (brute.verdict == Verdict::kPass ? found.executions == search.distinct()
                                       : found.failed.failure.kind == brute.failed.failure.kind);
  if (!same) {
    result.difference = text_of(program) + ": brute force " + std::to_string(search.distinct()) +
                        " " + brute.reason + ", SC " + std::to_string(found.executions) + " " +
                        found.reason;
  }
  return result;
}

std::string smallest_difference(Program program) {
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t t = 0; t < program.size() && !changed; ++t) {
      for (std::size_t i = 0; i < program[t].size() && !changed; ++i) {
        Program smaller = program;
        smaller[t].erase(smaller[t].begin() + static_cast<std::ptrdiff_t>(i));
        if (smaller[t].empty()) {
          smaller.erase(smaller.begin() + static_cast<std::ptrdiff_t>(t));
        }
        if (!smaller.empty() && !compare(smaller).difference.empty()) {
          program = smaller;
          changed = true;
        }
      }
    }
  }
  return compare(program).difference;
}

TEST(GeneratedSync, ReducedSearchEqualsBruteForce) {
  const char* const given = std::getenv("OVERBITE_SEED");
  std::mt19937 random(given != nullptr ? static_cast<unsigned>(std::atoi(given)) : 20261205u);
  constexpr int kPrograms = 2000;
  std::map<Verdict, int> verdicts;
  int different = 0;
  for (int i = 0; i < kPrograms; ++i) {
    const Program program = generate(random);
    const Comparison result = compare(program);
    if (result.finished) {
      ++verdicts[result.verdict];
    }
    if (!result.difference.empty() && ++different <= 5) {
      ADD_FAILURE() << smallest_difference(program);
    }
  }
  EXPECT_EQ(different, 0) << "of " << kPrograms;
  // The generator must not drift into programs that show nothing.
  EXPECT_GT(verdicts[Verdict::kPass], kPrograms / 4);
  EXPECT_GT(verdicts[Verdict::kFail], kPrograms / 10);
}

}  // namespace
}  // namespace overbite::ordering
