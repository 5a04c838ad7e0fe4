// As generated_test.cc, with loops: await(), loops that only look, compare-exchange until it
// succeeds, a few tries. Where no schedule deadlocks the counts are equal; else both searches find
// a deadlock. A stronger memory model allows no more: SC has at most as many executions as RC11.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <random>
#include <string>

#include "ordering/scenario.h"
#include "ordering/tests/generated.h"

namespace overbite::ordering {
namespace {

enum class Act {
  kLoad,
  kStore,
  kAdd,
  kAwait,        // one cell
  kAwaitEither,  // or the other
  kAwaitBoth,
  kSpin,        // as await, written as a loop
  kTry,         // looks a few times
  kRetry,       // compare-exchange until it succeeds
  kRetryTwice,  // at most
  kTakeLock,    // await, then compare-exchange, until it succeeds
  kCount,
};

struct Op {
  Act act;
  std::size_t cell;
  int value;
};
struct World {
  Cells cells{2};
};

void retry(const Op& op, std::atomic<int>& cell, int tries) {
  int seen = cell.load();
  while (tries-- != 0 && !cell.compare_exchange_strong(seen, seen + op.value)) {
  }
}

void wait_for(const Op& op, std::atomic<int>& cell, std::atomic<int>& other) {
  switch (op.act) {
    case Act::kAwait:
      await([&] { return cell.load() >= op.value; });
      break;
    case Act::kAwaitEither:
      await([&] { return cell.load() >= op.value || other.load() == 1; });
      break;
    case Act::kAwaitBoth:
      await([&] { return cell.load() == op.value && other.load() == 1; });
      break;
    case Act::kSpin:
      while (cell.load() < op.value) {
      }
      break;
    default:
      while (true) {
        await([&] { return cell.load() == 0; });
        int seen = 0;
        if (cell.compare_exchange_strong(seen, op.value)) {
          return;
        }
      }
  }
}

void perform(const Op& op, World& world) {
  const Cells& cells = world.cells;
  std::atomic<int>& cell = cells[op.cell];
  switch (op.act) {
    case Act::kLoad:
      cell.load();
      break;
    case Act::kStore:
      cell.store(op.value);
      break;
    case Act::kAdd:
      cell.fetch_add(op.value);
      break;
    case Act::kTry:
      for (int i = 0; i < 2 && cell.load() != op.value; ++i) {
      }
      break;
    case Act::kRetry:
      retry(op, cell, -1);
      break;
    case Act::kRetryTwice:
      retry(op, cell, 2);
      break;
    default:
      wait_for(op, cell, cells[1 - op.cell]);
      break;
  }
}

Generated<Op> waiting_programs() {
  const auto operation = [](std::mt19937& random) {
    // Half of them write, or most would wait for ever.
    constexpr auto kActs = static_cast<unsigned>(Act::kCount);
    const unsigned act = below(random, 2 * kActs);
    return Op{act < kActs    ? static_cast<Act>(act)
              : act % 2 == 0 ? Act::kStore
                             : Act::kAdd,
              below(random, 2),
              static_cast<int>(1 + below(random, 2))};
  };
  return {.generate = [operation](auto& random) { return small_program<Op>(random, operation); },
          .body_of = in_world<World, Op>(&perform),
          .words =
              [](const Op& op) {
                constexpr const char* kWords[] = {"load",
                                                  "store",
                                                  "add",
                                                  "await",
                                                  "await-either",
                                                  "await-both",
                                                  "spin",
                                                  "try",
                                                  "retry",
                                                  "retry-twice",
                                                  "take"};
                static_assert(std::size(kWords) == static_cast<std::size_t>(Act::kCount));
                return kWords[static_cast<int>(op.act)] + std::string(op.cell == 0 ? "x" : "y") +
                       std::to_string(op.value);
              },
          .schedules_max = 5000,
          .also_rc11 = true};
}

TEST(GeneratedWaiting, ReducedSearchEqualsBruteForce) {
  constexpr int kPrograms = 2000;
  const auto verdicts = waiting_programs().expect_same(kPrograms, 20261204u);
  // The generator must not drift into programs that show nothing.
  EXPECT_GT(verdicts.at(Verdict::kPass), kPrograms / 4);
  EXPECT_GT(verdicts.at(Verdict::kFail), kPrograms / 10);
}

}  // namespace
}  // namespace overbite::ordering
