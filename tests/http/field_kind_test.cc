#include "server/http/field_kind.h"

#include <gtest/gtest.h>

namespace overbite::http {
namespace {

TEST(FieldKind, FramingFieldsAreToldInAnyCase) {
  EXPECT_EQ(classify_field("content-length"), FieldKind::kContentLength);
  EXPECT_EQ(classify_field("Content-Length"), FieldKind::kContentLength);
  EXPECT_EQ(classify_field("TRANSFER-ENCODING"), FieldKind::kTransferEncoding);
  EXPECT_EQ(classify_field("Connection"), FieldKind::kConnection);
  EXPECT_EQ(classify_field("Set-Cookie"), FieldKind::kSetCookie);
  EXPECT_EQ(classify_field("sET-cOOKIE"), FieldKind::kSetCookie);
}

TEST(FieldKind, NeighboursAreOrdinary) {
  for (const char* name : {"",
                           "x",
                           "cookie",
                           "set-cookie2",
                           "set_cookie",
                           "content-lengthy",
                           "content_length",
                           "content-lengt",
                           "transfer-encodings",
                           "connections",
                           "etag",
                           "set-cooki",
                           "keep-alive",
                           "set-cookie ",
                           "last-modif"}) {
    EXPECT_EQ(classify_field(name), FieldKind::kOrdinary) << name;
  }
  // '@' and '`', '[' and '{' differ by 0x20 like letters do, and are none.
  EXPECT_EQ(classify_field("content\rlength"), FieldKind::kOrdinary);
}

TEST(FieldList, TokenIsFoundInAnyPlaceAndCase) {
  EXPECT_TRUE(list_has_token("close", "close"));
  EXPECT_TRUE(list_has_token("Keep-Alive, CLOSE", "close"));
  EXPECT_TRUE(list_has_token("a,\tclose ,b", "close"));
  EXPECT_TRUE(list_has_token(",,close,", "Close"));
}

TEST(FieldList, PartOfATokenIsNotTheToken) {
  EXPECT_FALSE(list_has_token("", "close"));
  EXPECT_FALSE(list_has_token("closed, enclose, clos", "close"));
  EXPECT_FALSE(list_has_token("close;q=1", "close"));
  EXPECT_FALSE(list_has_token("not close", "close"));
  EXPECT_FALSE(
      list_has_token("\x0b"
                     "close",
                     "close"));
}

}  // namespace
}  // namespace overbite::http
