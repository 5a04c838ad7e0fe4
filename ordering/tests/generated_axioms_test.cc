// Random small programs with every memory order: the search finds as many graphs as the axioms
// allow, under both models. A program for which it does not is shown without what it does not need.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <random>
#include <string>

#include "ordering/litmus/published.h"
#include "ordering/tests/axioms.h"
#include "ordering/tests/generated.h"

namespace overbite::ordering {
namespace {

using litmus::Do;
using litmus::Op;
using litmus::Order;
using litmus::Program;

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }

  Program program();

  // One order made stronger; false: there is none to make stronger.
  bool strengthen(Program& program);

 private:
  static bool is_stronger(Order order, Order than);

  Order one_of(std::initializer_list<Order> orders);

  Order order_for(Do act);

  Op operation();

  std::mt19937 random_;
};

Program Generator::program() {
  while (true) {
    Program result(2 + below(2));
    std::array<int, 2> writes{};
    std::size_t operations = 0;
    for (auto& thread : result) {
      thread.resize(1 + below(4));
      operations += thread.size();
      for (Op& op : thread) {
        op = operation();
        const bool is_write = op.act >= Do::kStore && op.act <= Do::kCompareExchange;
        writes[static_cast<std::size_t>(op.cell)] += is_write ? 1 : 0;
      }
    }
    constexpr std::size_t kOperationsMax = 9;
    constexpr int kWritesMax = 4;  // their orders are enumerated
    if (operations <= kOperationsMax && writes[0] <= kWritesMax && writes[1] <= kWritesMax) {
      return result;
    }
  }
}

bool Generator::strengthen(Program& program) {
  constexpr int kTries = 5;
  for (int i = 0; i < kTries; ++i) {
    auto& thread = program[below(static_cast<unsigned>(program.size()))];
    Op& op = thread[below(static_cast<unsigned>(thread.size()))];
    const Order before = op.order;
    if (op.act < Do::kPlainLoad && before != Order::kSeqCst) {
      while (!is_stronger(op.order = order_for(op.act), before)) {
      }
      return true;
    }
  }
  return false;
}

bool Generator::is_stronger(Order order, Order than) {
  if (than == Order::kAcquire && order == Order::kRelease) {
    return false;
  }
  return order > than;
}

Order Generator::one_of(std::initializer_list<Order> orders) {
  return orders.begin()[below(static_cast<unsigned>(orders.size()))];
}

Order Generator::order_for(Do act) {
  switch (act) {
    case Do::kLoad:
      return one_of({Order::kRelaxed, Order::kAcquire, Order::kSeqCst});
    case Do::kStore:
      return one_of({Order::kRelaxed, Order::kRelease, Order::kSeqCst});
    case Do::kFence:
      return one_of({Order::kAcquire, Order::kRelease, Order::kAcqRel, Order::kSeqCst});
    default:
      return static_cast<Order>(below(5));
  }
}

Op Generator::operation() {
  constexpr std::array kActs = {Do::kLoad,
                                Do::kLoad,
                                Do::kLoad,
                                Do::kStore,
                                Do::kStore,
                                Do::kStore,
                                Do::kAdd,
                                Do::kExchange,
                                Do::kCompareExchange,
                                Do::kCompareExchange,
                                Do::kFence,
                                Do::kFence,
                                Do::kIf};
  Op op;
  op.act = kActs[below(kActs.size())];
  op.order = op.act == Do::kIf ? Order::kRelaxed : order_for(op.act);
  op.cell = op.act == Do::kIf || op.act == Do::kFence ? 0 : static_cast<int>(below(2));
  op.value = static_cast<int>(op.act == Do::kIf ? below(2) : 1 + below(2));
  op.compare = below(2) == 0 ? '=' : '!';
  op.adds_read = op.act == Do::kStore && below(6) == 0;
  op.expected = op.act == Do::kCompareExchange ? static_cast<int>(below(2)) : 0;
  if (op.act == Do::kCompareExchange) {
    op.failure_order = order_for(Do::kLoad);
  }
  return op;
}

// Empty: there is none.
std::string difference(Machine& machine, const Program& program) {
  const Body body = litmus::body_of(program);
  const std::uint64_t sc = explore_all(machine, body, Model::kSc, {}).executions;
  const std::uint64_t rc11 = explore_all(machine, body, Model::kRc11, {}).executions;
  const std::uint64_t sc_axioms = count_graphs(program, Axioms::kSc);
  const std::uint64_t rc11_axioms = count_graphs(program, Axioms::kRc11);
  if (sc == sc_axioms && rc11 == rc11_axioms && sc <= rc11) {
    return {};
  }
  return litmus::text_of(program) + ": SC " + std::to_string(sc) + ", by the axioms " +
         std::to_string(sc_axioms) + "; RC11 " + std::to_string(rc11) + ", by the axioms " +
         std::to_string(rc11_axioms);
}

// Where nobody waits for ever, an await() is a load that is assumed to give what is waited for.
TEST(Axioms, SayHowManyExecutionsALoadThatIsAwaitedHas) {
  constexpr int kPrograms = 2000;
  constexpr unsigned kSeed = 20261206;
  Generator generator(kSeed);
  int passed = 0;
  int deadlocked = 0;
  for (int i = 0; i < kPrograms; ++i) {
    Program program = generator.program();
    for (auto& thread : program) {
      for (Op& op : thread) {
        if (op.act == Do::kLoad && generator.below(2) == 0) {
          op.act = Do::kAwait;
          op.compare = generator.below(4) == 0 ? '=' : '!';
          op.value = op.compare == '=' ? 1 : 0;
        }
      }
    }
    for (const Model model : {Model::kSc, Model::kRc11}) {
      const Exploration found = explored(litmus::body_of(program), {}, model);
      if (found.verdict == Verdict::kFail) {
        EXPECT_EQ(found.failed.failure.kind, FailureKind::kDeadlock) << found.reason;
        ++deadlocked;
        continue;
      }
      ++passed;
      EXPECT_EQ(found.executions,
                count_graphs(program, model == Model::kSc ? Axioms::kSc : Axioms::kRc11))
          << litmus::text_of(program) << (model == Model::kSc ? " SC" : " RC11");
    }
  }
  EXPECT_GT(passed, kPrograms / 2);
  EXPECT_GT(deadlocked, kPrograms / 10);
}

// The oracle is held against the published numbers, too.
TEST(Axioms, HaveThePublishedNumbers) {
  int compared = 0;
  for (const litmus::Published& published : litmus::published()) {
    const Program program = litmus::parse(published.words);
    int events = litmus::cells_of(program);
    bool is_plain = false;
    for (const auto& thread : program) {
      events += static_cast<int>(thread.size());
      for (const Op& op : thread) {
        is_plain = is_plain || op.act == Do::kPlainLoad || op.act == Do::kPlainStore;
      }
    }
    constexpr std::uint64_t kGraphsMax = 700;  // of those that are enumerated in no time
    if (published.words.empty() || is_plain || events > kAxiomEventsMax ||
        published.rc11 > kGraphsMax) {
      continue;
    }
    ++compared;
    EXPECT_EQ(count_graphs(program, Axioms::kSc), published.sc) << published.name;
    EXPECT_EQ(count_graphs(program, Axioms::kRc11AnyLocation), published.rc11) << published.name;
    EXPECT_EQ(count_graphs(program, Axioms::kRc11), published.rc11_defined()) << published.name;
  }
  EXPECT_GT(compared, 100);
}

class GeneratedAxioms : public testing::TestWithParam<unsigned> {};

TEST_P(GeneratedAxioms, AllowAsManyGraphsAsAreFound) {
  constexpr int kPrograms = 2000;
  const char* const given = std::getenv("OVERBITE_SEED");
  Generator generator(GetParam() +
                      (given != nullptr ? 10u * static_cast<unsigned>(std::atoi(given)) : 0u));
  Machine machine;
  int different = 0;
  for (int i = 0; i < kPrograms; ++i) {
    const Program program = generator.program();
    if (!difference(machine, program).empty() && ++different <= 3) {
      ADD_FAILURE() << smallest_difference<Op>(
          program, [&machine](const Program& smaller) { return difference(machine, smaller); });
    }
    constexpr int kByBruteForce = 16;  // every so manieth
    if (i % kByBruteForce == 0) {
      EXPECT_EQ(distinct_by_brute_force(litmus::body_of(program)),
                count_graphs(program, Axioms::kSc))
          << litmus::text_of(program);
    }
  }
  EXPECT_EQ(different, 0) << "of " << kPrograms;
}

INSTANTIATE_TEST_SUITE_P(Seeds, GeneratedAxioms, testing::Range(1u, 6u));

TEST(Axioms, AStrongerOrderAddsNoGraph) {
  constexpr int kPrograms = 1000;
  constexpr unsigned kSeed = 20261203;
  Generator generator(kSeed);
  int compared = 0;
  for (int i = 0; i < kPrograms; ++i) {
    const Program program = generator.program();
    Program stronger = program;
    if (!generator.strengthen(stronger)) {
      continue;
    }
    ++compared;
    EXPECT_LE(executions(litmus::body_of(stronger), Model::kRc11),
              executions(litmus::body_of(program), Model::kRc11))
        << litmus::text_of(program) << " / " << litmus::text_of(stronger);
  }
  EXPECT_GT(compared, kPrograms / 2);
}

}  // namespace
}  // namespace overbite::ordering
