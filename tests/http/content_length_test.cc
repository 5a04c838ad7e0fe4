#include "server/http/content_length.h"

#include <gtest/gtest.h>

#include <limits>

namespace overbite::http {
namespace {

using Number = std::optional<std::int64_t>;

TEST(ContentLength, StrictTakesDigitsOnly) {
  EXPECT_EQ(parse_content_length("0", false), Number(0));
  EXPECT_EQ(parse_content_length("13", false), Number(13));
  EXPECT_EQ(parse_content_length("0013", false), Number(13));
  for (const char* bad :
       {"", " 5", "5 ", "+5", "-1", "0_5", "5,5", "0x5", "5.0", "abc", "\xd9\xa5"}) {
    EXPECT_EQ(parse_content_length(bad, false), std::nullopt) << '"' << bad << '"';
  }
}

TEST(ContentLength, LooseTakesWhatPythonIntTakes) {
  EXPECT_EQ(parse_content_length("+5", true), Number(5));
  EXPECT_EQ(parse_content_length(" \t5\t ", true), Number(5));
  EXPECT_EQ(parse_content_length("0_5", true), Number(5));
  EXPECT_EQ(parse_content_length("1_000", true), Number(1000));
  EXPECT_EQ(parse_content_length("-1", true), Number(-1));
  EXPECT_EQ(parse_content_length("-0", true), Number(0));
  for (const char* bad :
       {"", " ", "+", "-", "_5", "5_", "1__0", "+ 5", "--5", "+_5", "5 5", "0x5"}) {
    EXPECT_EQ(parse_content_length(bad, true), std::nullopt) << '"' << bad << '"';
  }
}

TEST(ContentLength, BeyondInt64IsNoNumber) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  for (const bool loose : {false, true}) {
    EXPECT_EQ(parse_content_length("9223372036854775807", loose), Number(kMax));
    EXPECT_EQ(parse_content_length("9223372036854775808", loose), std::nullopt);
    EXPECT_EQ(parse_content_length("18446744073709551621", loose), std::nullopt);
  }
}

}  // namespace
}  // namespace overbite::http
