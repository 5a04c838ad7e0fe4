// Atomics of 16 bytes, in the compiler's two spellings, and of sizes that have no instruction.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "ordering/scenario.h"
#include "ordering/tests/model.h"

namespace overbite::ordering {
namespace {

using Wide = unsigned __int128;

extern "C" {
// What ThreadSanitizer's pass makes of an atomic of 16 bytes, and what stays if it does not see it.
Wide __tsan_atomic128_fetch_add(volatile Wide* at, Wide operand, int order);
Wide __tsan_atomic128_load(const volatile Wide* at, int order);
Wide __atomic_load_16(const volatile void* at, int order);
bool __atomic_compare_exchange_16(
    volatile void* at, void* expected, Wide desired, int order, int failed);
}

constexpr Wide kCarry = ~std::uint64_t{0};

TEST(AtomicSizes, SixteenBytesAreAddedWithTheirCarry) {
  const Exploration found = explored([] {
    const auto sum = std::make_unique<Wide>(kCarry);
    const Body one = [&sum] { __tsan_atomic128_fetch_add(sum.get(), 1, __ATOMIC_SEQ_CST); };
    in_parallel({one, one});
    require(__tsan_atomic128_load(sum.get(), __ATOMIC_SEQ_CST) == kCarry + 2, "the carry is lost");
  });
  EXPECT_EQ(found.reason, "");
  EXPECT_EQ(found.executions, 2U);
}

// A counted pointer: the low half alone would be taken for unchanged.
TEST(AtomicSizes, BothHalvesAreCompared) {
  const Exploration found = explored([] {
    const auto head = std::make_unique<Wide>(7);
    in_parallel(
        {[&head] {
           Wide seen = __atomic_load_16(head.get(), __ATOMIC_SEQ_CST);
           const bool changed = seen >> 64 != 0;
           const bool swapped = __atomic_compare_exchange_16(
               head.get(), &seen, 9, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
           require(!swapped || !changed || seen >> 64 == 1, "half of it");
         },
         [&head] { __tsan_atomic128_fetch_add(head.get(), Wide{1} << 64, __ATOMIC_SEQ_CST); }});
  });
  EXPECT_EQ(found.reason, "");
  EXPECT_EQ(found.executions, 3U);
}

TEST(AtomicSizes, WhatHasNoInstructionIsRefused) {
  struct Three {
    long words[3];
  };
  const Exploration found = explored([] {
    const auto three = std::make_unique<std::atomic<Three>>();
    three->load();
  });
  EXPECT_EQ(found.verdict, Verdict::kStopped);
  EXPECT_NE(found.reason.find("__atomic_load"), std::string::npos) << found.reason;
}

}  // namespace
}  // namespace overbite::ordering
