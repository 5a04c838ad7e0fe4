#include "server/request/response_state.h"

#include <gtest/gtest.h>

namespace overbite::request {
namespace {

using http::FieldKind;

struct ResponseStateTest : testing::Test {
  ResponseStateTest() {
    rules.reasons.set(200, "OK");
    rules.reasons.set(500, "Internal Server Error");
    request.head = std::make_unique<http::RequestHead>();
    request.head->method = "GET";
    request.date = "D";
    head.status = 200;
  }
  // What a response with this head and body puts on the wire.
  ResponseState state() { return ResponseState(rules, request); }

  ResponseRules rules;
  Request request;
  http::ResponseHead head;
  std::string out;
};

TEST_F(ResponseStateTest, ChunksABodyWithoutALength) {
  auto response = state();
  ASSERT_TRUE(response.start(head, out).ok());
  ASSERT_TRUE(response.body("one", true, out).ok());
  ASSERT_TRUE(response.body("", true, out).ok());
  ASSERT_TRUE(response.body("", false, out).ok());
  EXPECT_EQ(out,
            "HTTP/1.1 200 OK\r\ndate: D\r\nserver: uvicorn\r\ntransfer-encoding: chunked\r\n\r\n"
            "3\r\none\r\n0\r\n\r\n");
  EXPECT_TRUE(response.complete());
}

TEST_F(ResponseStateTest, ARequestOlderThan11GetsNoChunks) {
  request.head->version_major = 0;
  request.head->version_minor = 9;
  auto response = state();
  ASSERT_TRUE(response.start(head, out).ok());
  ASSERT_TRUE(response.body("one", false, out).ok());
  EXPECT_EQ(out, "HTTP/1.1 200 OK\r\ndate: D\r\nserver: uvicorn\r\nconnection: close\r\n\r\none")
      << "HTTP/0.9 knows no chunks";
}

TEST_F(ResponseStateTest, WritesNothingOfAPieceThatIsTooLong) {
  head.add(FieldKind::kContentLength, "content-length", "3");
  auto response = state();
  ASSERT_TRUE(response.start(head, out).ok());
  const std::size_t before = out.size();
  EXPECT_EQ(response.body("four", false, out).error(),
            "Response content longer than Content-Length");
  EXPECT_EQ(out.size(), before);
  EXPECT_FALSE(response.complete());
}

TEST_F(ResponseStateTest, WritesAShortBodyAndThenComplains) {
  head.add(FieldKind::kContentLength, "content-length", "5");
  auto response = state();
  ASSERT_TRUE(response.start(head, out).ok());
  EXPECT_EQ(response.body("abc", false, out).error(),
            "Response content shorter than Content-Length");
  EXPECT_TRUE(out.ends_with("\r\n\r\nabc"));
  EXPECT_FALSE(response.complete());
}

TEST_F(ResponseStateTest, HeadResponseNeverCarriesALastChunk) {
  request.head->method = "HEAD";
  auto response = state();
  ASSERT_TRUE(response.start(head, out).ok());
  ASSERT_TRUE(response.body("hello", false, out).ok());
  EXPECT_TRUE(out.ends_with("server: uvicorn\r\n\r\n"));
  EXPECT_TRUE(response.complete());
}

TEST_F(ResponseStateTest, DrainingSaysConnectionClose) {
  auto response = state();
  response.drain();
  ASSERT_TRUE(response.start(head, out).ok());
  EXPECT_NE(out.find("connection: close\r\n"), std::string::npos);
  EXPECT_TRUE(response.close());
}

TEST_F(ResponseStateTest, InternalErrorIsAWholeResponse) {
  auto response = state();
  response.internal_error(out);
  EXPECT_EQ(
      out,
      "HTTP/1.1 500 Internal Server Error\r\ndate: D\r\nserver: uvicorn\r\n"
      "content-type: text/plain; charset=utf-8\r\ncontent-length: 21\r\nconnection: close\r\n\r\n"
      "Internal Server Error");
  EXPECT_TRUE(response.complete());
  EXPECT_TRUE(response.close());
}

TEST_F(ResponseStateTest, ARefusedHeadLetsNoBodyOut) {
  auto response = state();
  response.refuse();
  EXPECT_TRUE(response.started());
  EXPECT_FALSE(response.body("raw", false, out).ok());
  EXPECT_TRUE(out.empty()) << "a body without a head";
  EXPECT_TRUE(response.close());
}

}  // namespace
}  // namespace overbite::request
