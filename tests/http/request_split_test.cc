// Where the network cuts the bytes must not matter.
#include <gtest/gtest.h>

#include "tests/http/request_recorder.h"

namespace overbite::http {
namespace {

using Events = std::vector<std::string>;

std::vector<std::string> requests() {
  std::vector<std::string> all;
  const auto add = [&](std::string bytes) { all.push_back(std::move(bytes)); };
  const std::string host = "Host: t\r\n";
  for (const char* line : {"GET / HTTP/1.1",
                           "HEAD /a?b HTTP/1.1",
                           "OPTIONS * HTTP/1.1",
                           "GET http://t/a?b#c HTTP/1.1",
                           "M-SEARCH /x HTTP/1.1",
                           "GET /x HTTP/1.0",
                           "GET /x HTTP/2.0",
                           "GET /x HTTP/0.9",
                           "GET /%C3%A9?%ff HTTP/1.1",
                           "SOURCE /x ICE/1.0",
                           "CONNECT t:80 HTTP/1.1",
                           "FOO / HTTP/1.1"}) {
    add(std::string(line) + "\r\n" + host + "\r\n");
  }
  for (const char* fields : {"X-Empty:\r\n",
                             "X-Blank:  \t \r\n",
                             "X-A:  one \t \r\n",
                             "X-A: a b\tc\r\n",
                             "X: 1\r\nx: 2\r\n",
                             "Expect: 100-continue\r\n",
                             "Connection: close\r\n",
                             "Connection: keep-alive, x\r\n",
                             "Cookie: a=1; b=2\r\nCookie: c=3\r\n",
                             "X-High: \xc3\xa9\r\n",
                             "X : 1\r\n",
                             "X: a\r\n b\r\n",
                             "Host: u\r\n",
                             "Connection: Upgrade\r\nUpgrade: h2c\r\n",
                             "X: a\rb\r\n"}) {
    add("GET / HTTP/1.1\r\n" + host + fields + "\r\n");
  }
  const std::string post = "POST / HTTP/1.1\r\n" + host;
  add(post + "Content-Length: 5\r\n\r\nhello");
  add(post + "Content-Length: 005\r\n\r\nhello" + post + "Content-Length: 2\r\n\r\nab");
  add(post + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n");
  add(post + "Transfer-Encoding: Chunked\r\n\r\n0005;a=\"b;c\"\r\nhello\r\n1\r\nx\r\n0\r\n\r\n");
  add(post + "Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\nX-T: 1\r\nY: 2\r\n\r\n");
  add(post + "Transfer-Encoding: gzip, chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n");
  add(post + "Transfer-Encoding: gzip\r\n\r\nabc");
  add(post + "Transfer-Encoding: identity\r\n\r\nabc");
  add(post + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nabc");
  add(post + "Transfer-Encoding: chunked\r\n\r\n0x5\r\nhello\r\n");
  add(post + "Connection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 3\r\n\r\nabc");
  add("\r\n\r\nGET / HTTP/1.1\r\n" + host + "\r\n\r\n\r\nGET /2 HTTP/1.1\r\n" + host + "\r\n");
  add("GET / HTTP/1.1\r\n" + host + "\r\nGARBAGE\r\n\r\n");
  add("GET / HTTP/1.1\r\n" + host + "Connection: close\r\n\r\nGET /2 HTTP/1.1\r\n\r\n");
  add("GET /\r\n\r\n");
  add("GET / HTTP/1.1\r\n\r\n");
  return all;
}

// A malformed stream may be told apart a byte earlier or later, never with other events before it.
void expect_same_however_cut(const std::string& bytes, const Quirks& quirks) {
  const std::string_view all = bytes;
  const Events whole = record({all}, quirks);
  for (std::size_t cut = 1; cut < all.size(); ++cut) {
    EXPECT_EQ(record({all.substr(0, cut), all.substr(cut)}, quirks), whole)
        << "cut at " << cut << " of:\n"
        << bytes;
  }
  std::vector<std::string_view> bytewise;
  for (std::size_t i = 0; i < all.size(); ++i) {
    bytewise.push_back(all.substr(i, 1));
  }
  EXPECT_EQ(record(bytewise, quirks), whole) << "byte by byte:\n" << bytes;
}

TEST(RequestSplit, EveryCutGivesTheSameEvents) {
  const Quirks quirks;
  ASSERT_EQ(requests().size(), 43u);
  for (const std::string& bytes : requests()) {
    expect_same_however_cut(bytes, quirks);
  }
}

TEST(RequestSplit, EveryCutGivesTheSameEventsUnderTheReferencesRules) {
  // Not upgrade-drops-body: what is lost behind an offer is just what came in the same read.
  const Quirks quirks = Quirks::parse("host-unchecked,trailing-blanks-kept").value();
  for (const std::string& bytes : requests()) {
    expect_same_however_cut(bytes, quirks);
  }
}

}  // namespace
}  // namespace overbite::http
