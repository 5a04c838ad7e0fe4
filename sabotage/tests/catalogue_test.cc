#include "sabotage/runner/catalogue.h"

#include <gtest/gtest.h>

#include "sabotage/runner/failure.h"

namespace overbite::sabotage {
namespace {

std::vector<CatalogueEntry> entries() {
  std::vector<CatalogueEntry> list(5);
  for (std::size_t i = 0; i < list.size(); ++i) {
    list[i].id = std::string(1, static_cast<char>('a' + i));
  }
  return list;
}

std::string ids(const Selection& selection) {
  std::string text;
  for (const CatalogueEntry& entry : select(entries(), selection)) {
    text += entry.id;
  }
  return text;
}

TEST(Shards, TogetherAreTheWhole) {
  EXPECT_EQ(ids({{}, 1, 1}), "abcde");
  EXPECT_EQ(ids({{}, 1, 2}), "ace");
  EXPECT_EQ(ids({{}, 2, 2}), "bd");
  EXPECT_EQ(ids({{"e", "b"}, 1, 1}), "be");
}

TEST(Shards, EmptyOnesAndUnknownIdsAreRefused) {
  EXPECT_THROW(ids({{}, 6, 6}), Failure);
  EXPECT_THROW(ids({{"x"}, 1, 1}), Failure);
  EXPECT_THROW(select({}, {}), Failure);
}

TEST(Shards, AreWrittenAsKOfN) {
  Selection selection;
  parse_shard("2/4", selection);
  EXPECT_EQ(selection.shard, 2);
  EXPECT_EQ(selection.shards, 4);
  for (const char* text : {"", "2", "2/", "/4", "0/4", "5/4", "a/4", "2/4x", "-1/4", "2/4/6"}) {
    EXPECT_THROW(parse_shard(text, selection), Failure) << text;
  }
}

}  // namespace
}  // namespace overbite::sabotage
