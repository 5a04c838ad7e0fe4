#include "server/http/quirks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

namespace overbite::http {
namespace {

int switched_on(const Quirks& quirks) {
  bool flags[sizeof(Quirks)];
  std::memcpy(flags, &quirks, sizeof(Quirks));
  return static_cast<int>(std::count(std::begin(flags), std::end(flags), true));
}

TEST(Quirks, NoneSwitchesNothingOn) {
  const auto quirks = Quirks::parse("none");
  ASSERT_TRUE(quirks.ok());
  EXPECT_EQ(switched_on(quirks.value()), 0);
}

TEST(Quirks, UvicornSwitchesEverythingOn) {
  const auto quirks = Quirks::parse("uvicorn");
  ASSERT_TRUE(quirks.ok());
  EXPECT_EQ(switched_on(quirks.value()), static_cast<int>(sizeof(Quirks)));
}

TEST(Quirks, EachNameSwitchesOneFieldOfItsOwn) {
  std::string all;
  for (const std::string& name : Quirks::names()) {
    const auto one = Quirks::parse(name);
    ASSERT_TRUE(one.ok()) << name;
    EXPECT_EQ(switched_on(one.value()), 1) << name;
    all += (all.empty() ? "" : ",") + name;
  }
  EXPECT_EQ(Quirks::names().size(), sizeof(Quirks));
  EXPECT_EQ(switched_on(Quirks::parse(all).value()), static_cast<int>(sizeof(Quirks)));
}

TEST(Quirks, NamesMeanTheirFields) {
  const auto quirks = Quirks::parse("host-unchecked,body-with-204,chunked-to-1-0");
  ASSERT_TRUE(quirks.ok());
  EXPECT_TRUE(quirks.value().host_unchecked);
  EXPECT_TRUE(quirks.value().body_with_204);
  EXPECT_TRUE(quirks.value().chunked_to_1_0);
  EXPECT_EQ(switched_on(quirks.value()), 3);
}

TEST(Quirks, UnknownNameIsNamedInTheError) {
  for (const char* list :
       {"", "nope", "host-unchecked,nope", "host_unchecked", "none,uvicorn", "eager-400,"}) {
    EXPECT_FALSE(Quirks::parse(list).ok()) << list;
  }
  EXPECT_THAT(Quirks::parse("host-unchecked,nope").error(),
              testing::StartsWith("unknown quirk 'nope' (known: none, uvicorn, or any of "));
}

}  // namespace
}  // namespace overbite::http
