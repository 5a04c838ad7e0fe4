// Random small programs: the reduced search finds as many executions as enumerating every schedule.
#include <gtest/gtest.h>

#include <random>
#include <sstream>
#include <string>

#include "ordering/tests/model.h"

namespace overbite::ordering {
namespace {

enum class Act { kLoad, kStore, kFetchAdd, kCompareExchange };

struct Op {
  Act act;
  std::size_t cell;
  int value;
};

using Program = std::vector<std::vector<Op>>;

Program generate(std::mt19937& random) {
  const auto below = [&random](unsigned n) { return static_cast<unsigned>(random() % n); };
  Program program(2 + below(2));
  const unsigned most = program.size() == 2 ? 4 : 2;
  for (auto& thread : program) {
    thread.resize(1 + below(most));
    for (Op& op : thread) {
      op = {static_cast<Act>(below(4)), below(2), static_cast<int>(1 + below(2))};
    }
  }
  return program;
}

std::string text_of(const Program& program) {
  std::ostringstream out;
  for (const auto& thread : program) {
    for (const Op& op : thread) {
      out << "LSFC"[static_cast<int>(op.act)] << op.cell << '=' << op.value << ' ';
    }
    out << "| ";
  }
  return out.str();
}

void perform(const Op& op, const Cells& cells) {
  std::atomic<int>& cell = cells[op.cell];
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

TEST(Generated, ReducedSearchEqualsBruteForce) {
  constexpr unsigned kSeed = 20261201;
  constexpr int kPrograms = 400;
  std::mt19937 random(kSeed);
  for (int i = 0; i < kPrograms; ++i) {
    const Program program = generate(random);
    const std::uint64_t reduced = executions(body_of(program));
    ASSERT_GT(reduced, 0u) << text_of(program);
    ASSERT_EQ(reduced, distinct_by_brute_force(body_of(program))) << text_of(program);
  }
}

}  // namespace
}  // namespace overbite::ordering
