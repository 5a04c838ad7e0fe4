#include "server/http/response_head.h"

#include <gtest/gtest.h>

#include "server/http/head_writer.h"

namespace overbite::http {
namespace {

void add(ResponseHead& head, std::string_view name, std::string_view value) {
  head.add(classify_field(name), name, value);
}

TEST(ResponseHead, NameIsLoweredAndValueUntouched) {
  ResponseHead head;
  add(head, "X-Upper-\xc4", "  MiXed \t");
  EXPECT_EQ(head.name(0), "x-upper-\xc4");
  EXPECT_EQ(head.value(0), "  MiXed \t");
  EXPECT_EQ(head.field(0).kind, FieldKind::kOrdinary);
}

TEST(ResponseHead, EverySetCookieStaysALineOfItsOwn) {
  ResponseHead head;
  add(head, "Set-Cookie", "a=1; Path=/");
  add(head, "content-type", "text/plain");
  add(head, "set-cookie", "b=2");
  add(head, "SET-COOKIE", "b=2");
  add(head, "set-cookie", "c=3, d=4");
  std::string wire;
  write_head(head, Framing{}, ReasonTable{}, "", wire);
  EXPECT_EQ(wire,
            "HTTP/1.1 200 \r\n"
            "set-cookie: a=1; Path=/\r\n"
            "content-type: text/plain\r\n"
            "set-cookie: b=2\r\n"
            "set-cookie: b=2\r\n"
            "set-cookie: c=3, d=4\r\n"
            "\r\n");
}

TEST(ResponseHead, RepeatedOrdinaryFieldsAreKeptInOrder) {
  ResponseHead head;
  add(head, "vary", "a");
  add(head, "Vary", "b");
  add(head, "vary", "a");
  ASSERT_EQ(head.size(), 3u);
  EXPECT_EQ(head.value(0), "a");
  EXPECT_EQ(head.value(1), "b");
  EXPECT_EQ(head.value(2), "a");
}

TEST(ResponseHead, RepeatedContentLengthIsLeftToTheFraming) {
  ResponseHead head;
  add(head, "content-length", "5");
  add(head, "content-length", "5");
  EXPECT_EQ(head.size(), 2u);
}

TEST(ResponseHead, EmptyNameAndValueAreFields) {
  ResponseHead head;
  add(head, "", "");
  add(head, "", "v");
  ASSERT_EQ(head.size(), 2u);
  EXPECT_EQ(head.name(1), "");
  EXPECT_EQ(head.value(0), "");
  EXPECT_EQ(head.value(1), "v");
}

TEST(ResponseHead, ViewsAreRightWhenReservedTooSmall) {
  ResponseHead head;
  head.reserve(1, 1);
  for (int i = 0; i < 100; ++i) {
    add(head, "x-" + std::to_string(i), std::string(static_cast<std::size_t>(i), 'v'));
  }
  ASSERT_EQ(head.size(), 100u);
  EXPECT_EQ(head.name(99), "x-99");
  EXPECT_EQ(head.value(99), std::string(99, 'v'));
}

TEST(ResponseHead, ClearMakesItNew) {
  ResponseHead head;
  add(head, "a", "b");
  head.status = 404;
  head.reason = "Gone Fishing";
  head.own_reason = true;
  head.clear();
  EXPECT_EQ(head.size(), 0u);
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.reason, "");
  EXPECT_FALSE(head.own_reason);
}

}  // namespace
}  // namespace overbite::http
