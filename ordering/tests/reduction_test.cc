// One small program for each rule by which the search leaves no execution out and finds none twice.
// Most numbers are published: GenMC's and Nidhugg's test suites.
#include <gtest/gtest.h>

#include <functional>
#include <mutex>
#include <vector>

#include "ordering/scenario.h"
#include "ordering/tests/model.h"

namespace overbite::ordering {
namespace {

Body stores_and_loads(int threads, const std::function<void(const Cells&, int)>& one) {
  return [threads, one] {
    const Cells cells(2);
    std::vector<Body> bodies;
    for (int i = 0; i < threads; ++i) {
      bodies.push_back([&cells, &one, i] { one(cells, i); });
    }
    in_parallel(bodies);
  };
}

TEST(Reduction, AReadMaySeeWhatIsWrittenLater) {
  const Body body = stores_and_loads(3, [](const Cells& x, int i) {
    if (i < 2) {
      x[0].load();
    } else {
      x[0].store(1);
    }
  });
  EXPECT_EQ(executions(body), 4U);
}

TEST(Reduction, AStoreMayComeBeforeOneThatRanFirst) {
  const Body body = stores_and_loads(2, [](const Cells& x, int i) {
    x[static_cast<std::size_t>(i)].store(1);
    x[static_cast<std::size_t>(1 - i)].store(2);
  });
  EXPECT_EQ(executions(body), 3U);
}

TEST(Reduction, ContradictingOrdersAreNoExecution) {
  const Body body = stores_and_loads(2, [](const Cells& x, int i) {
    x[static_cast<std::size_t>(i)].store(1);
    x[static_cast<std::size_t>(1 - i)].load();
  });
  EXPECT_EQ(executions(body), 3U);
}

TEST(Reduction, ARevisitKeepsWhatTheWriteComesFrom) {
  const Body body = stores_and_loads(2, [](const Cells& x, int i) {
    x[static_cast<std::size_t>(i)].load();
    x[static_cast<std::size_t>(1 - i)].store(1);
  });
  EXPECT_EQ(executions(body), 3U);
}

TEST(Reduction, ReadsAreRevisitedFromThePlainestGraphOnly) {
  const Body body =
      stores_and_loads(3, [](const Cells& x, int /*i*/) { x[0].store(x[0].load() + 1); });
  EXPECT_EQ(executions(body), 36U);
}

TEST(Reduction, WritesAreTakenAwayFromThePlainestGraphOnly) {
  const Body body = stores_and_loads(3, [](const Cells& x, int i) {
    int expected = 0;
    x[0].compare_exchange_strong(expected, i + 1);
    x[0].store(i + 1);
  });
  EXPECT_EQ(executions(body), 66U);
}

TEST(Reduction, OneCompareExchangeWins) {
  const Body body = stores_and_loads(3, [](const Cells& x, int i) {
    int expected = 0;
    x[0].compare_exchange_strong(expected, i + 1);
  });
  EXPECT_EQ(executions(body), 3U);
}

TEST(Reduction, AnOrderThatWasTakenBackForbidsNothing) {
  const Body body = stores_and_loads(4, [](const Cells& x, int i) {
    if (i < 2) {
      x[static_cast<std::size_t>(i)].store(1);
    } else {
      x[static_cast<std::size_t>(i - 2)].load();
      x[static_cast<std::size_t>(3 - i)].load();
    }
  });
  EXPECT_EQ(executions(body), 15U);
}

TEST(Reduction, WhoLostALockIsGivenItOnce) {
  const Body body = [] {
    std::mutex mutex;
    const Body one = [&mutex] { const std::lock_guard lock(mutex); };
    in_parallel({one, one, one});
  };
  EXPECT_EQ(executions(body), 6U);
}

TEST(Reduction, WhatWasAssumedAwayDoesNotCount) {
  const Body body = stores_and_loads(2, [](const Cells& x, int i) {
    if (i == 0) {
      x[0].store(1);
    } else {
      assume(x[0].load() == 1);
    }
  });
  EXPECT_EQ(executions(body), 1U);
}

}  // namespace
}  // namespace overbite::ordering
