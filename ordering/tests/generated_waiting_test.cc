// As generated_test.cc, with loops: await(), loops that only look, compare-exchange until it
// succeeds, a few tries. Where no schedule deadlocks the counts are equal; else both searches find
// a deadlock. A stronger memory model allows no more: SC has at most as many executions as RC11.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <random>
#include <string>

#include "ordering/scenario.h"
#include "ordering/tests/model.h"

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
using Program = std::vector<std::vector<Op>>;

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

void perform(const Op& op, const Cells& cells) {
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

Program generate(std::mt19937& random) {
  const auto below = [&random](unsigned n) { return static_cast<unsigned>(random() % n); };
  Program program(2 + below(2));
  const unsigned most = program.size() == 2 ? 3 : 2;
  for (auto& thread : program) {
    thread.resize(1 + below(most));
    for (Op& op : thread) {
      // Half of them write, or most would wait for ever.
      const unsigned act = below(2 * static_cast<unsigned>(Act::kCount));
      op = {act < static_cast<unsigned>(Act::kCount) ? static_cast<Act>(act)
            : act % 2 == 0                           ? Act::kStore
                                                     : Act::kAdd,
            below(2),
            static_cast<int>(1 + below(2))};
    }
  }
  return program;
}

std::string text_of(const Program& program) {
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
  std::string text;
  for (const auto& thread : program) {
    for (const Op& op : thread) {
      text += std::string(kWords[static_cast<int>(op.act)]) + (op.cell == 0 ? "x" : "y") +
              std::to_string(op.value) + " ";
    }
    text += "| ";
  }
  return text;
}

Body body_of(const Program& program) {
  return [&program] {
    const Cells cells(2);
    std::vector<Body> bodies;
    for (const auto& thread : program) {
      bodies.push_back([&thread, &cells] {
        for (const Op& op : thread) {
          perform(op, cells);
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
  constexpr std::uint64_t kSchedulesMax = 5000;
  Comparison result;
  Machine machine;
  BruteForce search(machine);
  const Exploration brute =
      explore(machine, body_of(program), search, {.executions_max = kSchedulesMax});
  if (brute.verdict == Verdict::kIncomplete) {
    return result;
  }
  result.finished = true;
  const Exploration found = explored(body_of(program));
  const Exploration weak = explored(body_of(program), {}, Model::kRc11);
  result.verdict = brute.verdict;
  const bool passes = brute.verdict == Verdict::kPass;
  const bool same = found.verdict == brute.verdict && weak.verdict == brute.verdict &&
                    (passes ? found.executions == search.distinct() &&
                                  // every access is seq_cst: nothing is added by RC11
                                  weak.executions == found.executions
                            : found.failed.failure.kind == FailureKind::kDeadlock);
  if (!same) {
    result.difference = text_of(program) + ": brute force " + std::to_string(search.distinct()) +
                        " " + brute.reason + ", SC " + std::to_string(found.executions) + " " +
                        found.reason + ", RC11 " + std::to_string(weak.executions) + " " +
                        weak.reason;
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

TEST(GeneratedWaiting, ReducedSearchEqualsBruteForce) {
  const char* const given = std::getenv("OVERBITE_SEED");
  std::mt19937 random(given != nullptr ? static_cast<unsigned>(std::atoi(given)) : 20261204u);
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
  RecordProperty("passed", verdicts[Verdict::kPass]);
  RecordProperty("deadlocked", verdicts[Verdict::kFail]);
  // The generator must not drift into programs that show nothing.
  EXPECT_GT(verdicts[Verdict::kPass], kPrograms / 4);
  EXPECT_GT(verdicts[Verdict::kFail], kPrograms / 10);
}

}  // namespace
}  // namespace overbite::ordering
