#include "server/http/request_parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/base/limits.h"
#include "tests/http/request_recorder.h"

namespace overbite::http {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Events = std::vector<std::string>;

const char kHost[] = "Host: t\r\n";

Events events(const std::string& bytes, const char* quirks = "none") {
  return record({bytes}, Quirks::parse(quirks).value());
}

bool refused(const std::string& bytes, const char* quirks = "none") {
  const Events all = events(bytes, quirks);
  return !all.empty() && all.back() == "malformed";
}

std::string get(const std::string& fields) { return "GET / HTTP/1.1\r\n" + fields + "\r\n"; }

TEST(RequestParser, HeadIsReadWithLowerCaseNames) {
  EXPECT_THAT(
      events("GET /p?q=1 HTTP/1.1\r\nHost: t\r\nX-Multi: 1\r\nx-multi:2\r\nX-Empty:\r\n\r\n"),
      ElementsAre("head GET /p?q=1 1.1 keep-alive",
                  "field host=t",
                  "field x-multi=1",
                  "field x-multi=2",
                  "field x-empty=",
                  "complete"));
}

TEST(RequestParser, TargetIsSplitIntoPathAndQuery) {
  RequestRecorder recorder;
  const Quirks quirks;
  RequestParser parser(quirks, recorder);
  ASSERT_TRUE(parser.feed("GET http://h/a%20b?c#d HTTP/1.1\r\nHost: t\r\n\r\n"));
  ASSERT_EQ(recorder.heads.size(), 1u);
  EXPECT_EQ(recorder.heads[0]->target, "http://h/a%20b?c#d");
  EXPECT_EQ(recorder.heads[0]->raw_path, "/a%20b");
  EXPECT_EQ(recorder.heads[0]->query, "c");
}

TEST(RequestParser, BodyIsDeliveredWholeHoweverItIsFramed) {
  EXPECT_THAT(events("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 5\r\n\r\nhello"),
              ElementsAre("head POST / 1.1 keep-alive body",
                          "field host=t",
                          "field content-length=5",
                          "body hello",
                          "complete"));
  EXPECT_THAT(events("POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n"
                     "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nX-Trailer: no\r\n\r\n"),
              ElementsAre("head POST / 1.1 keep-alive body",
                          "field host=t",
                          "field transfer-encoding=chunked",
                          "body abcde",
                          "complete"));
  EXPECT_THAT(
      events("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 0\r\n\r\n"),
      ElementsAre(
          "head POST / 1.1 keep-alive", "field host=t", "field content-length=0", "complete"));
}

TEST(RequestParser, PipelinedRequestsAreAllRead) {
  EXPECT_THAT(events(get(kHost) + "\r\n" + get(kHost)),
              ElementsAre("head GET / 1.1 keep-alive",
                          "field host=t",
                          "complete",
                          "head GET / 1.1 keep-alive",
                          "field host=t",
                          "complete"));
}

TEST(RequestParser, BytesBehindAClosingRequestAreSkipped) {
  EXPECT_THAT(events(get("Host: t\r\nConnection: Close\r\n") + get(kHost)),
              ElementsAre("head GET / 1.1", "field host=t", "field connection=Close", "complete"));
}

TEST(RequestParser, PersistenceFollowsVersionAndConnection) {
  EXPECT_EQ(events("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")[0], "head GET / 1.0");
  EXPECT_EQ(events(get("Host: t\r\nConnection: a, close\r\n"))[0], "head GET / 1.1");
  EXPECT_EQ(events(get("Host: t\r\nProxy-Connection: close\r\n"))[0], "head GET / 1.1");
  EXPECT_EQ(events(get("Host: t\r\nConnection: keep-alive\r\n"))[0], "head GET / 1.1 keep-alive");
  EXPECT_EQ(events("GET /\r\n\r\n")[0], "head GET / 0.9");
  EXPECT_EQ(events("GET / HTTP/2.0\r\nHost: t\r\n\r\n")[0], "head GET / 2.0");
}

TEST(RequestParser, ExpectationIsToldInAnyCase) {
  EXPECT_EQ(events(get("Host: t\r\nExpect: 100-Continue\r\n"))[0],
            "head GET / 1.1 keep-alive expect");
  EXPECT_EQ(events(get("Host: t\r\nExpect: 100-continue, x\r\n"))[0], "head GET / 1.1 keep-alive");
}

TEST(RequestParser, HostComesOnce) {
  EXPECT_TRUE(refused(get("Host: t\r\nHost: u\r\n"))) << "a second Host was accepted";
  EXPECT_TRUE(refused(get("Host: t\r\nhost: t\r\n"))) << "a second Host was accepted";
  EXPECT_TRUE(refused("GET / HTTP/1.0\r\nHost: t\r\nHost: u\r\n\r\n"))
      << "a second Host was accepted";
}

TEST(RequestParser, HostIsRequiredByHttp11Only) {
  EXPECT_TRUE(refused(get("")));
  EXPECT_FALSE(refused(get("Host:\r\n")));
  EXPECT_FALSE(refused("GET / HTTP/1.0\r\n\r\n"));
}

TEST(RequestParser, HostIsUncheckedUnderTheQuirk) {
  EXPECT_FALSE(refused(get(""), "host-unchecked"));
  EXPECT_FALSE(refused(get("Host: t\r\nHost: u\r\n"), "host-unchecked"));
}

TEST(RequestParser, BlanksAroundAValueAreNoPartOfIt) {
  const std::string request = get("Host: t\r\nX-A:  one \t \r\nX-B: \t \r\n");
  EXPECT_THAT(
      events(request),
      ElementsAre(
          "head GET / 1.1 keep-alive", "field host=t", "field x-a=one", "field x-b=", "complete"));
  EXPECT_THAT(events(request, "trailing-blanks-kept"),
              ElementsAre("head GET / 1.1 keep-alive",
                          "field host=t",
                          "field x-a=one \t ",
                          "field x-b=",
                          "complete"));
}

TEST(RequestParser, OfferToUpgradeChangesNothing) {
  const std::string request =
      "POST / HTTP/1.1\r\nHost: t\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n"
      "Content-Length: 3\r\n\r\nabc" +
      get(kHost);
  const Events head{"head POST / 1.1 keep-alive body",
                    "field host=t",
                    "field connection=Upgrade",
                    "field upgrade=h2c",
                    "field content-length=3"};
  Events served = head;
  served.insert(served.end(),
                {"body abc", "complete", "head GET / 1.1 keep-alive", "field host=t", "complete"});
  EXPECT_EQ(events(request), served);
  Events dropped = head;
  dropped.emplace_back("complete");
  EXPECT_EQ(events(request, "upgrade-drops-body"), dropped);
}

TEST(RequestParser, LaterReadsAreServedAfterADroppedUpgrade) {
  const std::string offer = get("Host: t\r\nConnection: upgrade\r\nUpgrade: h2c\r\n");
  const Events all =
      record({offer + "lost", get(kHost)}, Quirks::parse("upgrade-drops-body").value());
  EXPECT_EQ(std::count(all.begin(), all.end(), "complete"), 2);
}

TEST(RequestParser, MalformedHeadsAreRefused) {
  for (const std::string bad : {"get / HTTP/1.1\r\nHost: t\r\n\r\n",
                                "FOO / HTTP/1.1\r\nHost: t\r\n\r\n",
                                "GET / HTTP/1.2\r\nHost: t\r\n\r\n",
                                "GET / http/1.1\r\nHost: t\r\n\r\n",
                                "GET / HTTP/1.1\nHost: t\n\n",
                                "GET / HTTP/1.1 \r\nHost: t\r\n\r\n",
                                "GET / HTTP/1.1\r\nHost : t\r\n\r\n",
                                "GET / HTTP/1.1\r\nHost: t\r\nX\r\n\r\n",
                                "GET / HTTP/1.1\r\nHost: t\r\n: v\r\n\r\n",
                                "GET / HTTP/1.1\r\nHost: t\r\nX: a\r\n b\r\n\r\n",
                                "GET / HTTP/1.1\r\nHost: t\r\nX: a\x01\r\n\r\n",
                                "GET /\xc3\xa9 HTTP/1.1\r\nHost: t\r\n\r\n",
                                "GET path HTTP/1.1\r\nHost: t\r\n\r\n",
                                "GET http://t HTTP/1.1\r\nHost: t\r\n\r\n",
                                "CONNECT t:80 HTTP/1.1\r\nHost: t\r\n\r\n",
                                "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"}) {
    EXPECT_TRUE(refused(bad)) << bad;
  }
}

TEST(RequestParser, AmbiguousFramingIsRefused) {
  for (const std::string fields : {"Content-Length: 3, 3",
                                   "Content-Length: 3\r\nContent-Length: 3",
                                   "Content-Length: +3",
                                   "Content-Length: 18446744073709551618",
                                   "Content-Length:",
                                   "Content-Length: 3\r\nTransfer-Encoding: chunked",
                                   "Transfer-Encoding: chunked\r\nContent-Length: 3",
                                   "Transfer-Encoding: chunked, gzip",
                                   "Transfer-Encoding: gzip",
                                   "Transfer-Encoding: identity",
                                   "Transfer-Encoding: xchunked",
                                   "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"}) {
    EXPECT_TRUE(refused("POST / HTTP/1.1\r\nHost: t\r\n" + fields + "\r\n\r\nabc")) << fields;
  }
}

TEST(RequestParser, MalformedChunksAreRefused) {
  for (const std::string chunk : {"0x3\r\nabc",
                                  "3 \r\nabc",
                                  "3\nabc",
                                  "3\r\nabcd\r\n",
                                  "-3\r\n",
                                  "11111111111111111\r\n",
                                  "3;a\nb\r\nabc",
                                  "\r\n"}) {
    EXPECT_TRUE(refused("POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk))
        << chunk;
  }
}

TEST(RequestParser, ErrorNamesTheCause) {
  RequestRecorder recorder;
  const Quirks quirks;
  for (const auto& [bytes, error] :
       {std::pair<std::string, std::string>{get(""), "no Host field"},
        {get("Host: a\r\nHost: b\r\n"), "more than one Host field"},
        {"GET http://t HTTP/1.1\r\nHost: t\r\n\r\n", "request target \"http://t\" has no path"}}) {
    RequestParser parser(quirks, recorder);
    EXPECT_FALSE(parser.feed(bytes));
    EXPECT_EQ(parser.error(), error);
  }
  RequestParser parser(quirks, recorder);
  EXPECT_FALSE(parser.feed("FOO / HTTP/1.1\r\n\r\n"));
  EXPECT_NE(parser.error(), "");
}

TEST(RequestParser, FeedingAfterAnErrorIsOurOwnMistake) {
  RequestRecorder recorder;
  const Quirks quirks;
  RequestParser parser(quirks, recorder);
  ASSERT_FALSE(parser.feed("FOO"));
  EXPECT_DEATH((void)parser.feed("x"), "CHECK failed: error_.empty\\(\\)");
}

TEST(RequestParser, HeadIsBounded) {
  const std::string value(limits::kRequestHeadBytesMax - 100, 'v');
  EXPECT_FALSE(refused(get("Host: t\r\nX: " + value + "\r\n")));
  EXPECT_TRUE(refused(get("Host: t\r\nX: " + value + value + "\r\n")));
  std::string many = "Host: t\r\n";
  for (std::size_t i = 0; i * 5 < limits::kRequestHeadBytesMax; ++i) {
    many += "X:\r\n";
  }
  EXPECT_TRUE(refused(get(many)));
}

TEST(RequestParser, TrailersAreBounded) {
  const std::string value(limits::kRequestHeadBytesMax, 'v');
  EXPECT_TRUE(refused("POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: " +
                      value + "\r\n\r\n"));
}

TEST(RequestParser, InMessageFromTheFirstByteToTheLast) {
  RequestRecorder recorder;
  const Quirks quirks;
  RequestParser parser(quirks, recorder);
  EXPECT_FALSE(parser.in_message());
  ASSERT_TRUE(parser.feed("\r\n\r\n"));
  ASSERT_TRUE(parser.feed(""));
  ASSERT_TRUE(parser.feed("PO"));
  EXPECT_TRUE(parser.in_message());
  ASSERT_TRUE(parser.feed("ST / HTTP/1.1\r\nHost: t\r\nContent-Length: 2\r\n\r\na"));
  EXPECT_TRUE(parser.in_message());
  EXPECT_EQ(recorder.heads.size(), 1u);
  ASSERT_TRUE(parser.feed("b"));
  EXPECT_FALSE(parser.in_message());
}

TEST(RequestParser, HeadOutlivesTheBytesAndTheParser) {
  RequestRecorder recorder;
  {
    const Quirks quirks;
    RequestParser parser(quirks, recorder);
    std::string bytes = get("Host: t\r\nX-Long: " + std::string(1000, 'v') + "\r\n");
    ASSERT_TRUE(parser.feed(bytes));
    bytes.assign(bytes.size(), '#');
  }
  ASSERT_EQ(recorder.heads.size(), 1u);
  EXPECT_EQ(recorder.heads[0]->headers[0].name, "host");
  EXPECT_EQ(recorder.heads[0]->headers[1].value, std::string(1000, 'v'));
}

}  // namespace
}  // namespace overbite::http
