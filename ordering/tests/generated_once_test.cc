// pthread_once, with initialisers that lock, wait, and call once themselves.
#include <gtest/gtest.h>
#include <pthread.h>

#include <mutex>

#include "ordering/scenario.h"
#include "ordering/tests/generated.h"

namespace overbite::ordering {
namespace {

enum class Act {
  kStore,
  kLoad,
  kOnce,
  kOnceLocked,
  kOnceInOnce,
  kOnceUnderLock,
  kLocked,
  kTryLocked,
  kCount
};

struct Op {
  Act act;
  bool other;  // which of two of each
};

struct World {
  Cells cells{2};
  std::mutex mutexes[2];
  pthread_once_t once[3] = {PTHREAD_ONCE_INIT, PTHREAD_ONCE_INIT, PTHREAD_ONCE_INIT};
};
World* world = nullptr;  // of this execution: an initialiser is told nothing

void count() { world->cells[1].fetch_add(1); }
void store_locked() {
  const std::lock_guard lock(world->mutexes[0]);
  world->cells[0].store(2);
}
void call_next() { ::pthread_once(&world->once[1], count); }
void call_third() { ::pthread_once(&world->once[2], count); }

void perform(const Op& op) {
  const int which = op.other ? 1 : 0;
  pthread_once_t* const once = &world->once[which];
  switch (op.act) {
    case Act::kStore:
      world->cells[0].store(1);
      break;
    case Act::kLoad:
      world->cells[which].load();
      break;
    case Act::kOnce:
      ::pthread_once(once, count);
      break;
    case Act::kOnceLocked:
      ::pthread_once(once, store_locked);
      break;
    case Act::kOnceInOnce:
      ::pthread_once(once, op.other ? call_third : call_next);
      break;
    case Act::kOnceUnderLock: {
      const std::lock_guard lock(world->mutexes[0]);
      ::pthread_once(once, count);
      break;
    }
    case Act::kLocked: {
      const std::lock_guard lock(world->mutexes[which]);
      world->cells[0].load();
      break;
    }
    default:
      if (world->mutexes[0].try_lock()) {
        world->mutexes[0].unlock();
      }
      break;
  }
}

Generated<Op> once_programs() {
  return {[](std::mt19937& random) {
            return small_program<Op>(random, [](std::mt19937& numbers) {
              return Op{static_cast<Act>(below(numbers, static_cast<unsigned>(Act::kCount))),
                        below(numbers, 3) == 0};
            });
          },
          [](const std::vector<std::vector<Op>>& program) {
            return [&program] {
              World fresh;
              world = &fresh;
              std::vector<Body> bodies;
              for (const auto& thread : program) {
                bodies.push_back([&thread] {
                  for (const Op& op : thread) {
                    perform(op);
                  }
                });
              }
              in_parallel(bodies);
            };
          },
          [](const Op& op) {
            constexpr const char* kWords[] = {"store",
                                              "load",
                                              "once",
                                              "once-locked",
                                              "once-in-once",
                                              "once-under-lock",
                                              "locked",
                                              "try-locked"};
            static_assert(std::size(kWords) == static_cast<std::size_t>(Act::kCount));
            return std::string(kWords[static_cast<int>(op.act)]) + (op.other ? "'" : "");
          },
          5000};
}

TEST(GeneratedOnce, ReducedSearchEqualsBruteForce) {
  constexpr int kPrograms = 1000;
  const auto verdicts = once_programs().expect_same(kPrograms, 20261207u);
  EXPECT_GT(verdicts.at(Verdict::kPass), kPrograms / 4);
  EXPECT_GT(verdicts.at(Verdict::kFail), kPrograms / 20);
}

TEST(Once, EitherOfTwoThreadsIsFirst) {
  static pthread_once_t once;
  EXPECT_EQ(executions([] {
              once = PTHREAD_ONCE_INIT;
              in_parallel(std::vector<Body>(2, [] { ::pthread_once(&once, [] {}); }));
            }),
            2u);
}

TEST(Once, AnInitialiserThatThrowsIsCalledAgain) {
  const Exploration found = explored([] {
    static pthread_once_t once;
    once = PTHREAD_ONCE_INIT;
    bool thrown = false;
    try {
      ::pthread_once(&once, [] { throw 1; });
    } catch (int) {
      thrown = true;
    }
    static bool done;
    done = false;
    ::pthread_once(&once, [] { done = true; });
    require(thrown && done, "not called again");
  });
  EXPECT_EQ(found.reason, "");
}

}  // namespace
}  // namespace overbite::ordering
