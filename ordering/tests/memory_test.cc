// Use of memory that is not there, and memory that is left.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <string>

#include "ordering/scenario.h"
#include "ordering/tests/model.h"

namespace overbite::ordering {
namespace {

// The optimiser must neither see that a use is wrong nor leave out an allocation.
template <typename T>
T* unseen(T* pointer) {
  asm volatile("" : "+r"(pointer) : : "memory");
  return pointer;
}

void expect_failure(const Body& body, const std::string& words) {
  for (const Model model : {Model::kSc, Model::kRc11}) {
    const Exploration found = explored(body, {}, model);
    EXPECT_EQ(found.failed.failure.kind, FailureKind::kMemory) << words << " was not reported";
    EXPECT_EQ(found.reason.rfind(words, 0), 0U) << found.reason;
  }
}

TEST(Memory, WhatOneThreadFreedItMustNotUse) {
  expect_failure(
      [] {
        int* const made = unseen(new int(1));
        delete made;
        require(*unseen(made) == 1, "never");
      },
      "use after free: read of 4 bytes by main");
}

TEST(Memory, WhatAnotherFreedBeforeMustNotBeUsed) {
  expect_failure(
      [] {
        const Cells freed(1);
        int* const made = unseen(new int(1));
        in_parallel({[&] {
                       delete made;
                       freed[0].store(1);
                     },
                     [&] {
                       if (freed[0].load() == 1) {
                         *unseen(made) = 2;
                       }
                     }});
      },
      "use after free: write of 4 bytes by thread 2");
}

TEST(Memory, AnAtomicThatIsGoneMustNotBeUsed) {
  expect_failure(
      [] {
        auto* const made = unseen(new std::atomic<int>(1));
        delete made;
        unseen(made)->fetch_add(1);
      },
      "use after free: write of 4 bytes by main");
}

TEST(Memory, AByteBehindTheEndIsNoMemory) {
  expect_failure(
      [] {
        const std::unique_ptr<char[]> text(unseen(new char[11]));
        unseen(text.get())[11] = 'x';
      },
      "heap overflow: write of 1 bytes by main");
  expect_failure(
      [] {
        const std::unique_ptr<long[]> numbers(unseen(new long[2]));
        unseen(numbers.get())[2] = 1;
      },
      "heap overflow: write of 8 bytes by main");
}

TEST(Memory, NothingIsFreedTwice) {
  expect_failure(
      [] {
        int* const made = unseen(new int(1));
        delete made;
        delete unseen(made);
      },
      "double free by main");
}

TEST(Memory, OnlyTheStartOfABlockIsFreed) {
  expect_failure(
      [] {
        char* const made = unseen(new char[32]);
        ::operator delete(unseen(made + 16));
      },
      "free of what was not allocated");
}

TEST(Memory, WhatNobodyFreesIsALeakInTheOrderInWhichItIs) {
  const Body body = [] {
    std::atomic<int*> kept = nullptr;
    const auto keep = [&kept] {
      auto made = std::make_unique<int>(1);
      if (kept.load() == nullptr) {  // and both may see that
        kept.store(unseen(made.release()));
      }
    };
    in_parallel({keep, keep});
    delete kept.load();
  };
  expect_failure(body, "leak: 4 bytes, allocated");
  EXPECT_EQ(explored(body, {.leaks = false}).verdict, Verdict::kPass);
}

// One takes a thing and puts another in its place; who saw the same address twice saw two things.
void replaces() {
  const auto shared = std::make_unique<std::atomic<std::atomic<int>*>>(new std::atomic<int>(1));
  in_parallel({[&] {
                 delete shared->exchange(nullptr);
                 shared->store(unseen(new std::atomic<int>(2)));
               },
               [&] {
                 const auto* const before = shared->load();
                 const auto* const between = shared->load();
                 require(before == nullptr || between != nullptr || shared->load() != before,
                         "the same address");
               }});
  const std::unique_ptr<std::atomic<int>> last(shared->load());
  require(last->load() == 2, "what was freed is still there");
}

TEST(Memory, AnAddressComesBackIfItMay) {
  for (const Model model : {Model::kSc, Model::kRc11}) {
    EXPECT_EQ(explored(replaces, {}, model).reason, "");
    EXPECT_EQ(explored(replaces, {.reuses = 1}, model).reason, "the same address");
  }
}

TEST(Memory, WhatAStaticVariableLeadsToIsNoLeak) {
  struct Node {
    Node* next;
  };
  static Node* first;
  EXPECT_EQ(explored([] {
              first = unseen(new Node{unseen(new Node{nullptr})});
              require(unseen(first)->next != nullptr, "never");
              const Cells something(1);
              something[0].load();
            }).reason,
            "");
}

}  // namespace
}  // namespace overbite::ordering
