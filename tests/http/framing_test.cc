#include "server/http/framing.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <utility>

#include "server/http/head_writer.h"

namespace overbite::http {
namespace {

using Fields = std::initializer_list<std::pair<const char*, const char*>>;

struct Case {
  int status = 200;
  FramingInput input = {};
  const char* quirks = "none";
};

constexpr FramingInput kHead{.head_request = true};
constexpr FramingInput k10{.http_1_0 = true, .keep_alive = false};
constexpr FramingInput kHead10{.head_request = true, .http_1_0 = true, .keep_alive = false};

base::Result<Framing> decide(const Case& c, Fields fields) {
  ResponseHead head;
  head.status = c.status;
  for (const auto& [name, value] : fields) {
    head.add(classify_field(name), name, value);
  }
  return decide_framing(c.input, head, Quirks::parse(c.quirks).value());
}

const char* name_of(BodyFraming body) {
  switch (body) {
    case BodyFraming::kLength:
      return "length";
    case BodyFraming::kChunked:
      return "chunked";
    case BodyFraming::kUntilClose:
      return "until-close";
    case BodyFraming::kNone:
      return "none";
    case BodyFraming::kEmpty:
      return "empty";
  }
  return "?";
}

// "<framing>[ <length>]|<field>|..." with the fields that reach the wire, or "error: ...".
std::string outcome(const Case& c, Fields fields) {
  const auto framing = decide(c, fields);
  if (!framing) {
    return "error: " + framing.error();
  }
  std::string out = name_of(framing.value().body);
  if (framing.value().body == BodyFraming::kLength) {
    out += " " + std::to_string(framing.value().length);
  }
  ResponseHead head;
  for (const auto& [name, value] : fields) {
    head.add(classify_field(name), name, value);
  }
  std::string wire;
  write_head(head, framing.value(), ReasonTable{}, "", wire);
  for (std::size_t at = wire.find("\r\n") + 2; wire.compare(at, 2, "\r\n") != 0;) {
    const std::size_t end = wire.find("\r\n", at);
    out += "|" + wire.substr(at, end - at);
    at = end + 2;
  }
  return out + (framing.value().close ? "|EOF" : "");
}

const char kTe[] = "transfer-encoding";
const char kCl[] = "content-length";

TEST(Framing, ResponseWithoutAWordIsChunked) {
  EXPECT_EQ(outcome({}, {}), "chunked|transfer-encoding: chunked");
  EXPECT_EQ(outcome({}, {{"x", "y"}}), "chunked|x: y|transfer-encoding: chunked");
  EXPECT_EQ(outcome({.status = 205}, {}), "chunked|transfer-encoding: chunked");
}

TEST(Framing, ContentLengthIsCounted) {
  EXPECT_EQ(outcome({}, {{kCl, "13"}}), "length 13|content-length: 13");
  EXPECT_EQ(outcome({}, {{kCl, "0"}}), "length 0|content-length: 0");
  EXPECT_EQ(outcome({}, {{kCl, "007"}}), "length 7|content-length: 007");
}

TEST(Framing, OwnChunkedIsKeptAsWritten) {
  EXPECT_EQ(outcome({}, {{kTe, "chunked"}}), "chunked|transfer-encoding: chunked");
  EXPECT_EQ(outcome({}, {{kTe, "Chunked"}}), "chunked|transfer-encoding: Chunked");
}

TEST(Framing, LengthBesideChunkedIsDropped) {
  EXPECT_EQ(outcome({}, {{kCl, "5"}, {kTe, "chunked"}}), "chunked|transfer-encoding: chunked")
      << "Content-Length beside Transfer-Encoding";
  EXPECT_EQ(outcome({}, {{kTe, "chunked"}, {kCl, "5"}}), "chunked|transfer-encoding: chunked")
      << "Content-Length beside Transfer-Encoding";
  EXPECT_EQ(outcome({}, {{kTe, "gzip"}, {kCl, "5"}}),
            "chunked|transfer-encoding: gzip|transfer-encoding: chunked");
}

TEST(Framing, LengthBesideChunkedIsSentUnderTheQuirk) {
  const Case quirk{.quirks = "length-and-chunked"};
  EXPECT_EQ(outcome(quirk, {{kCl, "5"}, {kTe, "chunked"}}),
            "chunked|content-length: 5|transfer-encoding: chunked");
  EXPECT_EQ(outcome(quirk, {{kTe, "CHUNKED"}, {kCl, "5"}}),
            "chunked|transfer-encoding: CHUNKED|content-length: 5");
  EXPECT_EQ(outcome(quirk, {{kCl, "5"}, {kTe, "identity"}}),
            "length 5|content-length: 5|transfer-encoding: identity");
}

TEST(Framing, ChunkedIsAppliedOnceAndLast) {
  const std::string added = "|transfer-encoding: chunked";
  EXPECT_EQ(outcome({}, {{kTe, "gzip, chunked"}}), "chunked|transfer-encoding: gzip, chunked");
  EXPECT_EQ(outcome({}, {{kTe, "gzip"}, {kTe, "chunked"}}),
            "chunked|transfer-encoding: gzip|transfer-encoding: chunked");
  EXPECT_EQ(outcome({}, {{kTe, "gzip"}}), "chunked|transfer-encoding: gzip" + added);
  EXPECT_EQ(outcome({}, {{kTe, "identity"}}), "chunked" + added);
  EXPECT_EQ(outcome({}, {{kTe, ""}}), "chunked" + added);
  EXPECT_EQ(outcome({}, {{kTe, "chunked, gzip"}}), "chunked" + added);
  EXPECT_EQ(outcome({}, {{kTe, "chunked, chunked"}}), "chunked" + added);
  EXPECT_EQ(outcome({}, {{kTe, "chunked"}, {kTe, "chunked"}}), "chunked" + added);
  EXPECT_EQ(outcome({}, {{kTe, "identity, chunked"}}), "chunked" + added);
}

TEST(Framing, SecondTransferEncodingIsSentUnderTheQuirk) {
  const Case quirk{.quirks = "double-transfer-encoding"};
  EXPECT_EQ(outcome(quirk, {{kTe, "gzip, chunked"}}),
            "chunked|transfer-encoding: gzip, chunked|transfer-encoding: chunked");
  EXPECT_EQ(outcome(quirk, {{kTe, "identity"}}),
            "chunked|transfer-encoding: identity|transfer-encoding: chunked");
  EXPECT_EQ(outcome(quirk, {{kTe, "chunked"}}), "chunked|transfer-encoding: chunked");
}

TEST(Framing, IdentityBesideALengthIsNoCoding) {
  EXPECT_EQ(outcome({}, {{kCl, "5"}, {kTe, "identity"}}), "length 5|content-length: 5");
}

TEST(Framing, LengthThatIsNoNumberIsTheApplicationsError) {
  EXPECT_EQ(outcome({}, {{kCl, "abc"}}), "error: invalid literal for int() with base 10: 'abc'");
  EXPECT_EQ(outcome({}, {{kCl, ""}}), "error: invalid literal for int() with base 10: ''");
  EXPECT_EQ(outcome({}, {{kCl, "it's"}}),
            "error: invalid literal for int() with base 10: \"it's\"");
  EXPECT_EQ(outcome({}, {{kCl, "\t\\\xff"}}),
            "error: invalid literal for int() with base 10: '\\t\\\\\\xff'");
  EXPECT_EQ(outcome({}, {{kCl, "+5"}}), "error: Content-Length '+5' is not made of digits only");
  EXPECT_EQ(outcome({}, {{kCl, "99999999999999999999"}}),
            "error: Content-Length '99999999999999999999' is too large");
}

TEST(Framing, LengthByPythonsRulesIsTakenUnderTheQuirk) {
  const Case quirk{.quirks = "loose-content-length"};
  EXPECT_EQ(outcome(quirk, {{kCl, "+5"}}), "length 5|content-length: +5");
  EXPECT_EQ(outcome(quirk, {{kCl, "0_5"}}), "length 5|content-length: 0_5");
  EXPECT_EQ(outcome(quirk, {{kCl, "-1"}}), "length -1|content-length: -1");
}

TEST(Framing, RepeatedLengthIsSentOnceOrRefused) {
  EXPECT_EQ(outcome({}, {{kCl, "5"}, {kCl, "5"}}), "length 5|content-length: 5");
  EXPECT_EQ(outcome({}, {{kCl, "5"}, {kCl, "05"}}), "length 5|content-length: 5");
  EXPECT_EQ(outcome({}, {{kCl, "5"}, {kCl, "6"}}),
            "error: two Content-Length fields that differ: 5 and 6");
  const Case quirk{.quirks = "double-content-length"};
  EXPECT_EQ(outcome(quirk, {{kCl, "5"}, {kCl, "6"}, {kCl, "x"}}),
            "length 5|content-length: 5|content-length: 6|content-length: x");
}

TEST(Framing, HeadHasNoBodyAndNothingAdded) {
  EXPECT_EQ(outcome({.input = kHead}, {}), "none") << "a HEAD response has a body";
  EXPECT_EQ(outcome({.input = kHead}, {{kCl, "13"}}), "none|content-length: 13");
  EXPECT_EQ(outcome({.input = kHead}, {{kTe, "chunked"}}), "none|transfer-encoding: chunked");
  EXPECT_EQ(outcome({.input = kHead}, {{kCl, "5"}, {kTe, "chunked"}}),
            "none|transfer-encoding: chunked");
  EXPECT_EQ(outcome({.input = kHead, .quirks = "uvicorn"}, {{kCl, "5"}, {kTe, "chunked"}}),
            "none|content-length: 5|transfer-encoding: chunked");
  EXPECT_EQ(outcome({.input = kHead10}, {{kTe, "chunked"}}), "none|connection: close|EOF");
}

TEST(Framing, NoContentAndNotModifiedHaveNoBody) {
  EXPECT_EQ(outcome({.status = 204}, {}), "none");
  EXPECT_EQ(outcome({.status = 204}, {{kCl, "5"}}), "none");
  EXPECT_EQ(outcome({.status = 204}, {{kTe, "chunked"}}), "none");
  EXPECT_EQ(outcome({.status = 204, .input = kHead}, {{kCl, "5"}}), "none");
  EXPECT_EQ(outcome({.status = 304}, {}), "none");
  EXPECT_EQ(outcome({.status = 304}, {{kCl, "5"}}), "none|content-length: 5");
  EXPECT_EQ(outcome({.status = 304}, {{kCl, "5"}, {kTe, "chunked"}}), "none|content-length: 5");
}

TEST(Framing, NoContentFollowsTheReferenceUnderTheQuirk) {
  const Case quirk{.status = 204, .quirks = "body-with-204"};
  EXPECT_EQ(outcome(quirk, {}), "empty");
  EXPECT_EQ(outcome(quirk, {{kCl, "5"}}), "length 5|content-length: 5");
  EXPECT_EQ(outcome(quirk, {{kTe, "chunked"}}), "chunked|transfer-encoding: chunked");
  const Case all{.status = 304, .quirks = "uvicorn"};
  EXPECT_EQ(outcome(all, {{kTe, "gzip"}}), "empty|transfer-encoding: gzip");
  EXPECT_EQ(outcome(all, {{kTe, "gzip"}, {kCl, "3"}}),
            "length 3|transfer-encoding: gzip|content-length: 3");
}

TEST(Framing, Http10IsNeverChunked) {
  EXPECT_EQ(outcome({.input = k10}, {}), "until-close|connection: close|EOF");
  EXPECT_EQ(outcome({.input = k10}, {{kCl, "5"}}),
            "length 5|content-length: 5|connection: close|EOF");
  EXPECT_EQ(outcome({.input = k10}, {{kTe, "chunked"}}), "until-close|connection: close|EOF");
  EXPECT_EQ(outcome({.input = k10}, {{kTe, "chunked"}, {kCl, "5"}}),
            "until-close|connection: close|EOF");
  // Whatever the caller thinks of persistence, the end of the body is the end of the connection.
  EXPECT_EQ(outcome({.input = {.http_1_0 = true}}, {}), "until-close|connection: close|EOF");
  EXPECT_EQ(outcome({.input = k10, .quirks = "chunked-to-1-0"}, {}),
            "chunked|connection: close|transfer-encoding: chunked|EOF");
}

TEST(Framing, InterimStatusIsNoFinalResponse) {
  EXPECT_EQ(outcome({.status = 100}, {}), "error: status 100 is not a final response");
  EXPECT_EQ(outcome({.status = 199}, {}), "error: status 199 is not a final response");
  EXPECT_EQ(outcome({.status = 103, .quirks = "interim-as-final"}, {}),
            "chunked|transfer-encoding: chunked");
}

TEST(Framing, ConnectionClosesWhenAnyoneWantsIt) {
  const std::string body = "length 1|content-length: 1";
  EXPECT_EQ(outcome({}, {{kCl, "1"}}), body);
  EXPECT_EQ(outcome({.input = {.keep_alive = false}}, {{kCl, "1"}}),
            body + "|connection: close|EOF");
  EXPECT_EQ(outcome({.input = {.draining = true}}, {{kCl, "1"}}), body + "|connection: close|EOF");
  EXPECT_EQ(outcome({}, {{kCl, "1"}, {"connection", "Close"}}), body + "|connection: Close|EOF");
  EXPECT_EQ(outcome({.input = {.keep_alive = false}}, {{kCl, "1"}, {"connection", "x, close"}}),
            body + "|connection: x, close|EOF");
  EXPECT_EQ(outcome({}, {{kCl, "1"}, {"connection", "keep-alive"}}),
            body + "|connection: keep-alive");
}

}  // namespace
}  // namespace overbite::http
