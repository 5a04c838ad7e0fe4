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
  std::once_flag once[3];
};

void perform(const Op& op, World& world) {
  const int which = op.other ? 1 : 0;
  const auto count = [&] { world.cells[1].fetch_add(1); };
  switch (op.act) {
    case Act::kStore:
      world.cells[0].store(1);
      break;
    case Act::kLoad:
      world.cells[which].load();
      break;
    case Act::kOnce:
      std::call_once(world.once[which], count);
      break;
    case Act::kOnceLocked:
      std::call_once(world.once[which], [&] {
        const std::lock_guard lock(world.mutexes[0]);
        world.cells[0].store(2);
      });
      break;
    case Act::kOnceInOnce:  // two of them, the other way round, wait for each other
      std::call_once(world.once[which],
                     [&] { std::call_once(world.once[op.other ? 2 : 1], count); });
      break;
    case Act::kOnceUnderLock: {
      const std::lock_guard lock(world.mutexes[0]);
      std::call_once(world.once[which], count);
      break;
    }
    case Act::kLocked: {
      const std::lock_guard lock(world.mutexes[which]);
      world.cells[0].load();
      break;
    }
    default:
      if (world.mutexes[0].try_lock()) {
        world.mutexes[0].unlock();
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
          }};
}

TEST(GeneratedOnce, ReducedSearchEqualsBruteForce) {
  constexpr int kPrograms = 2000;
  const auto verdicts = once_programs().expect_same(kPrograms, 20261207u);
  EXPECT_GT(verdicts.at(Verdict::kPass), kPrograms / 4);
  EXPECT_GT(verdicts.at(Verdict::kFail), kPrograms / 100);
}

}  // namespace
}  // namespace overbite::ordering
