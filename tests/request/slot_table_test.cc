#include "server/request/slot_table.h"

#include <gtest/gtest.h>

namespace overbite::request {
namespace {

// The table never looks inside a connection.
Connection* connection(int& n) { return reinterpret_cast<Connection*>(&n); }

TEST(SlotTable, GivesASlotANewGenerationEachTime) {
  SlotTable table(1);
  int a = 0;
  const auto first = table.acquire(connection(a));
  EXPECT_TRUE(table.full());
  ASSERT_TRUE(table.release(first));
  const auto second = table.acquire(connection(a));
  EXPECT_EQ(first.index, second.index);
  EXPECT_NE(first.generation, second.generation);
  EXPECT_NE(second.generation, 0u);
}

TEST(SlotTable, ALateWordAboutAnEarlierRequestReachesNobody) {
  SlotTable table(1);
  int a = 0;
  const auto first = table.acquire(connection(a));
  ASSERT_TRUE(table.release(first));
  const auto second = table.acquire(connection(a));
  EXPECT_EQ(table.owner(first), nullptr) << "a stale reply would go to another client";
  EXPECT_FALSE(table.release(first)) << "a stale reply would free another request's slot";
  EXPECT_EQ(table.owner(second), connection(a));
}

TEST(SlotTable, AnOrphanIsNobodysButStaysInUse) {
  SlotTable table(2);
  int a = 0;
  const auto slot = table.acquire(connection(a));
  table.orphan(slot);
  EXPECT_EQ(table.owner(slot), nullptr);
  EXPECT_EQ(table.in_use(), 1u);
  EXPECT_TRUE(table.release(slot));
  EXPECT_EQ(table.in_use(), 0u);
}

}  // namespace
}  // namespace overbite::request
