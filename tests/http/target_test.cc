#include "server/http/target.h"

#include <gtest/gtest.h>

namespace overbite::http {
namespace {

struct Split {
  const char* target;
  const char* raw_path;
  const char* query;
};

TEST(Target, PathAndQueryAreSplitAsTheReferenceDoes) {
  for (const Split& c : {Split{"/", "/", ""},
                         {"/path", "/path", ""},
                         {"/path?", "/path", ""},
                         {"/path?a=1&b", "/path", "a=1&b"},
                         {"/path?a?b?", "/path", "a?b?"},
                         {"/path??a", "/path", "?a"},
                         {"/path#frag", "/path", ""},
                         {"/path?q#frag?x", "/path", "q"},
                         {"/a//b/../c/./", "/a//b/../c/./", ""},
                         {"/%zz%00%C3%A9", "/%zz%00%C3%A9", ""},
                         {"*", "*", ""},
                         {"http://example.com/path?x", "/path", "x"},
                         {"http://u:p@example.com:8080/", "/", ""},
                         {"ftp://[::1]:21/f", "/f", ""}}) {
    const auto split = split_target(c.target);
    ASSERT_TRUE(split.ok()) << c.target;
    EXPECT_EQ(split.value().raw_path, c.raw_path) << c.target;
    EXPECT_EQ(split.value().query, c.query) << c.target;
  }
}

TEST(Target, WhatTheReferenceRefusesIsRefused) {
  for (const char* bad : {"",
                          "path",
                          "example.com:80",
                          "http://example.com",
                          "http:///path",
                          "http://",
                          "http://exa mple/",
                          "/a b",
                          "/a\tb",
                          "/\xc3\xa9",
                          "/a\x7f",
                          "//",
                          "?q"}) {
    const auto split = split_target(bad);
    if (std::string_view(bad) == "//") {
      EXPECT_TRUE(split.ok());
      continue;
    }
    EXPECT_FALSE(split.ok()) << bad;
  }
}

TEST(Target, LengthEndsWhereTheParsersOffsetsDo) {
  EXPECT_TRUE(split_target("/" + std::string(65534, 'a')).ok());
  const auto split = split_target("/" + std::string(65535, 'a'));
  ASSERT_FALSE(split.ok());
  EXPECT_EQ(split.error(), "request target of 65536 bytes is longer than 65535");
}

TEST(UnquotePath, EscapesAreDecodedAsUtf8) {
  EXPECT_EQ(unquote_path("/plain"), "/plain");
  EXPECT_EQ(unquote_path("/a%20b%2Fc%2fd"), "/a b/c/d");
  EXPECT_EQ(unquote_path("/%C3%A9%e2%82%ac%F0%9F%98%80"), "/\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
  EXPECT_EQ(unquote_path("/%00"), std::string("/\0", 2));
  EXPECT_EQ(unquote_path("/a+b"), "/a+b");
}

TEST(UnquotePath, BadEscapesStay) {
  EXPECT_EQ(unquote_path("/%"), "/%");
  EXPECT_EQ(unquote_path("/%4"), "/%4");
  EXPECT_EQ(unquote_path("/%zz%4g%%41"), "/%zz%4g%A");
  EXPECT_EQ(unquote_path("/%2541"), "/%41");
}

// Each expectation is b"...".decode("utf-8", "replace") in CPython 3.11.
TEST(UnquotePath, InvalidUtf8BecomesReplacementCharacters) {
  const std::string r = "\xef\xbf\xbd";
  EXPECT_EQ(unquote_path("/%ff"), "/" + r);
  EXPECT_EQ(unquote_path("/%c0%80"), "/" + r + r);
  EXPECT_EQ(unquote_path("/%c3"), "/" + r);
  EXPECT_EQ(unquote_path("/%c3x"), "/" + r + "x");
  EXPECT_EQ(unquote_path("/%e2%82"), "/" + r);
  EXPECT_EQ(unquote_path("/%e2%82x"), "/" + r + "x");
  EXPECT_EQ(unquote_path("/%e0%80%80"), "/" + r + r + r);
  EXPECT_EQ(unquote_path("/%ed%a0%80"), "/" + r + r + r);
  EXPECT_EQ(unquote_path("/%f0%9f%98"), "/" + r);
  EXPECT_EQ(unquote_path("/%f4%90%80%80"), "/" + r + r + r + r);
  EXPECT_EQ(unquote_path("/%f0%9f%c3%a9"), "/" + r + "\xc3\xa9");
  EXPECT_EQ(unquote_path("/%80%bf"), "/" + r + r);
}

}  // namespace
}  // namespace overbite::http
