// Random small programs: the reduced search finds as many executions as enumerating every schedule.
#include "ordering/tests/generated.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace overbite::ordering {
namespace {

enum class Act { kLoad, kStore, kFetchAdd, kCompareExchange };

struct Op {
  Act act;
  std::size_t cell;
  int value;
};

struct World {
  Cells cells{2};
};

void perform(const Op& op, World& world) {
  std::atomic<int>& cell = world.cells[op.cell];
  int expected = 0;
  switch (op.act) {
    case Act::kLoad:
      cell.load();
      break;
    case Act::kStore:
      cell.store(op.value);
      break;
    case Act::kFetchAdd:
      cell.fetch_add(op.value);
      break;
    case Act::kCompareExchange:
      cell.compare_exchange_strong(expected, op.value);
      break;
  }
}

Generated<Op> programs() {
  const auto operation = [](std::mt19937& random) {
    return Op{static_cast<Act>(below(random, 4)),
              below(random, 2),
              static_cast<int>(1 + below(random, 2))};
  };
  return {.generate = [operation](auto& random) { return small_program<Op>(random, operation, 4); },
          .body_of = in_world<World, Op>(&perform),
          .words =
              [](const Op& op) {
                return std::string(1, "LSFC"[static_cast<int>(op.act)]) + std::to_string(op.cell) +
                       "=" + std::to_string(op.value);
              },
          .schedules_max = 1'000'000};
}

TEST(Generated, ReducedSearchEqualsBruteForce) {
  constexpr int kPrograms = 400;
  EXPECT_EQ(programs().expect_same(kPrograms, 20261201u).at(Verdict::kPass), kPrograms);
}

}  // namespace
}  // namespace overbite::ordering
