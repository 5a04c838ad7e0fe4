#include "server/http/refusal.h"

#include <gtest/gtest.h>

#include <string>

namespace overbite::http {
namespace {

// Written out apart from the table under test, byte by byte.
bool name_may_hold(int byte) {
  return byte > 0x20 && byte != 0x7f &&
         std::string_view("()<>@,;:\\\"[]={}").find(static_cast<char>(byte)) == std::string::npos;
}
bool value_may_hold(int byte) { return byte == '\t' || (byte >= 0x20 && byte != 0x7f); }

std::string around(int byte) { return std::string("x") + static_cast<char>(byte) + "y"; }

TEST(Refusal, EveryByteOfANameIsJudgedAsTheReferenceDoes) {
  for (int byte = 0; byte < 256; ++byte) {
    EXPECT_EQ(refuse_field(around(byte), "v"),
              name_may_hold(byte) ? Refusal::kNone : Refusal::kBadName)
        << "byte " << byte;
  }
}

TEST(Refusal, EveryByteOfAValueIsJudgedAsTheReferenceDoes) {
  for (int byte = 0; byte < 256; ++byte) {
    EXPECT_EQ(refuse_field("x-a", around(byte)),
              value_may_hold(byte) ? Refusal::kNone : Refusal::kBadValue)
        << "byte " << byte;
  }
}

TEST(Refusal, NulIsRefusedInNameAndValue) {
  using std::string_view_literals::operator""sv;
  EXPECT_EQ(refuse_field("x-a\0b"sv, "v"), Refusal::kBadName) << "NUL passed in a name";
  EXPECT_EQ(refuse_field("x-a", "v\0w"sv), Refusal::kBadValue) << "NUL passed in a value";
}

TEST(Refusal, LineFeedAloneIsRefusedInNameAndValue) {
  EXPECT_EQ(refuse_field("x-a\nset-cookie", "v"), Refusal::kBadName) << "LF passed in a name";
  EXPECT_EQ(refuse_field("x-a", "v\nset-cookie: a=b"), Refusal::kBadValue)
      << "LF passed in a value";
}

TEST(Refusal, CarriageReturnAloneIsRefusedInNameAndValue) {
  EXPECT_EQ(refuse_field("x-a\rset-cookie", "v"), Refusal::kBadName);
  EXPECT_EQ(refuse_field("x-a", "v\rset-cookie: a=b"), Refusal::kBadValue);
}

TEST(Refusal, BadByteIsFoundAtEitherEnd) {
  EXPECT_EQ(refuse_field("x-a", "\nv"), Refusal::kBadValue);
  EXPECT_EQ(refuse_field("x-a", "v\n"), Refusal::kBadValue);
  EXPECT_EQ(refuse_field(" x-a", "v"), Refusal::kBadName);
  EXPECT_EQ(refuse_field("x-a:", "v"), Refusal::kBadName);
  EXPECT_EQ(refuse_field("x-a", std::string(100000, 'v') + "\r"), Refusal::kBadValue);
}

TEST(Refusal, EmptyNameAndValuePassAsUnderTheReference) {
  EXPECT_EQ(refuse_field("", "v"), Refusal::kNone);
  EXPECT_EQ(refuse_field("x-a", ""), Refusal::kNone);
}

TEST(Refusal, NameIsJudgedBeforeTheValue) {
  EXPECT_EQ(refuse_field("x a", "v\n"), Refusal::kBadName);
}

TEST(Refusal, MessagesAreTheReferencesWords) {
  EXPECT_STREQ(refusal_message(Refusal::kBadName), "Invalid HTTP header name.");
  EXPECT_STREQ(refusal_message(Refusal::kBadValue), "Invalid HTTP header value.");
}

}  // namespace
}  // namespace overbite::http
