// What no application may bring about, whatever it says in its head: each property is a sentence.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/http/ascii.h"
#include "server/http/framing.h"
#include "server/http/head_writer.h"
#include "server/http/refusal.h"

namespace overbite::http {
namespace {

using Field = std::pair<std::string, std::string>;
using Fields = std::vector<Field>;

ResponseHead head_of(const Fields& fields, int status = 200) {
  ResponseHead head;
  head.status = status;
  for (const auto& [name, value] : fields) {
    head.add(classify_field(name), name, value);
  }
  return head;
}

std::string lowered(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), to_lower);
  return out;
}

// A strict reader of what was written: the field lines between status line and blank line.
Fields read_back(const std::string& wire) {
  Fields fields;
  std::size_t at = wire.find("\r\n");
  RC_ASSERT(at != std::string::npos);
  RC_ASSERT(wire.substr(0, 9) == "HTTP/1.1 ");
  for (at += 2; wire.compare(at, 2, "\r\n") != 0;) {
    const std::size_t end = wire.find("\r\n", at);
    RC_ASSERT(end != std::string::npos);
    const std::string line = wire.substr(at, end - at);
    RC_ASSERT(line.find_first_of(std::string_view("\r\n\0", 3)) == std::string::npos);
    const std::size_t colon = line.find(": ");
    RC_ASSERT(colon != std::string::npos);
    fields.emplace_back(line.substr(0, colon), line.substr(colon + 2));
    at = end + 2;
  }
  RC_ASSERT(at + 2 == wire.size());
  return fields;
}

std::string written(const ResponseHead& head, const Framing& framing) {
  std::string wire;
  write_head(head, framing, ReasonTable{}, "", wire);
  return wire;
}

// Short, so that most pass although bytes at the edges of what is allowed are common.
rc::Gen<std::string> any_bytes() {
  const auto hostile = rc::gen::elementOf(std::string("\r\n\0 \t:;a\x7f\x80\xff", 12));
  const auto harmless = rc::gen::inRange<char>('a', '{');
  const auto byte = rc::gen::weightedOneOf<char>({{1, hostile}, {12, harmless}});
  return rc::gen::resize(8, rc::gen::container<std::string>(byte));
}

rc::Gen<Field> any_field() { return rc::gen::pair(any_bytes(), any_bytes()); }

// Heads made of what the framing looks at, in every case and combination.
rc::Gen<Field> framing_field() {
  return rc::gen::elementOf(Fields{{"content-length", "5"},
                                   {"Content-Length", "5"},
                                   {"content-length", "05"},
                                   {"content-length", "0"},
                                   {"content-length", "7"},
                                   {"content-length", "+5"},
                                   {"content-length", "abc"},
                                   {"transfer-encoding", "chunked"},
                                   {"Transfer-Encoding", "Chunked"},
                                   {"transfer-encoding", "gzip"},
                                   {"transfer-encoding", "gzip, chunked"},
                                   {"transfer-encoding", "chunked, gzip"},
                                   {"transfer-encoding", "identity"},
                                   {"transfer-encoding", "chunked, chunked"},
                                   {"transfer-encoding", ""},
                                   {"connection", "close"},
                                   {"connection", "keep-alive"},
                                   {"x", "y"}});
}

struct Situation {
  FramingInput input;
  int status;
  Fields fields;
};

Situation any_situation() {
  Situation situation;
  situation.input.head_request = *rc::gen::arbitrary<bool>();
  situation.input.http_1_0 = *rc::gen::arbitrary<bool>();
  situation.input.keep_alive = *rc::gen::arbitrary<bool>();
  situation.input.draining = *rc::gen::arbitrary<bool>();
  situation.status = *rc::gen::oneOf(rc::gen::element(200, 204, 205, 206, 304, 404, 500),
                                     rc::gen::inRange(200, 600));
  situation.fields = *rc::gen::resize(5, rc::gen::container<Fields>(framing_field()));
  return situation;
}

int count(const Fields& fields, std::string_view name) {
  return static_cast<int>(std::count_if(
      fields.begin(), fields.end(), [&](const Field& field) { return field.first == name; }));
}

// How often "chunked" is applied, over all Transfer-Encoding lines, and whether it is the last.
std::pair<int, bool> chunked_codings(const Fields& fields) {
  std::pair<int, bool> found{0, false};
  for (const auto& [name, value] : fields) {
    if (name == "transfer-encoding") {
      for_each_element(value, [&](std::string_view coding) {
        if (coding.empty()) {
          return;  // RFC 9110 5.6.1: ignored
        }
        found.second = equals_ignoring_case(coding, "chunked");
        found.first += found.second ? 1 : 0;
      });
    }
  }
  return found;
}

RC_GTEST_PROP(Refusal, AFieldThatPassesPutsNoCrLfOrNulOnTheWire, ()) {
  const Field field = *any_field();
  RC_PRE(refuse_field(field.first, field.second) == Refusal::kNone);
  const std::string wire = written(head_of({field}), Framing{});
  const std::string line = lowered(field.first) + ": " + field.second;
  RC_ASSERT(wire == "HTTP/1.1 200 \r\n" + line + "\r\n\r\n");
  RC_ASSERT(line.find_first_of(std::string_view("\r\n\0", 3)) == std::string::npos);
}

RC_GTEST_PROP(Refusal, AFieldWithCrLfOrNulNeverPasses, ()) {
  Field field = *any_field();
  const char bad = *rc::gen::elementOf(std::string("\r\n\0", 3));
  std::string& text = *rc::gen::arbitrary<bool>() ? field.first : field.second;
  text.insert(*rc::gen::inRange<std::size_t>(0, text.size() + 1), 1, bad);
  RC_ASSERT(refuse_field(field.first, field.second) != Refusal::kNone);
}

RC_GTEST_PROP(ResponseHead, AWrittenHeadReadsBackAsTheGivenList, ()) {
  Fields given = *rc::gen::container<Fields>(any_field());
  std::erase_if(given, [](const Field& field) {
    return refuse_field(field.first, field.second) != Refusal::kNone;
  });
  const ResponseHead head = head_of(given);
  for (Field& field : given) {
    field.first = lowered(field.first);
  }
  RC_ASSERT(read_back(written(head, Framing{})) == given);
}

RC_GTEST_PROP(ResponseHead, EveryCookieIsALineOfItsOwnInOrder, ()) {
  const auto cookies = *rc::gen::container<std::vector<std::string>>(
      rc::gen::element<std::string>("a=1", "a=2", "b=1", "a=1; Path=/", ""));
  Fields fields;
  for (const std::string& cookie : cookies) {
    fields.emplace_back(*rc::gen::element<std::string>("set-cookie", "Set-Cookie"), cookie);
    if (*rc::gen::arbitrary<bool>()) {
      fields.push_back(*framing_field());
    }
  }
  const ResponseHead head = head_of(fields);
  const auto framing = decide_framing({}, head, Quirks{});
  RC_PRE(framing.ok());
  std::vector<std::string> lines;
  for (const auto& [name, value] : read_back(written(head, framing.value()))) {
    if (name == "set-cookie") {
      lines.push_back(value);
    }
  }
  RC_ASSERT(lines == cookies);
}

RC_GTEST_PROP(Framing, ContentLengthNeverMeetsTransferEncoding, ()) {
  const Situation s = any_situation();
  const ResponseHead head = head_of(s.fields, s.status);
  const auto framing = decide_framing(s.input, head, Quirks{});
  RC_PRE(framing.ok());
  const Fields wire = read_back(written(head, framing.value()));
  RC_ASSERT(count(wire, "content-length") <= 1);
  RC_ASSERT(count(wire, "content-length") == 0 || count(wire, "transfer-encoding") == 0);
}

RC_GTEST_PROP(Framing, ExactlyOneDelimiterEndsEveryBody, ()) {
  const Situation s = any_situation();
  const ResponseHead head = head_of(s.fields, s.status);
  const auto decided = decide_framing(s.input, head, Quirks{});
  RC_PRE(decided.ok());
  const Framing& framing = decided.value();
  const Fields wire = read_back(written(head, framing));
  const bool length = count(wire, "content-length") == 1;
  const bool chunked = chunked_codings(wire) == std::pair(1, true);
  const bool bodyless = s.input.head_request || s.status == 204 || s.status == 304;
  RC_ASSERT((framing.body == BodyFraming::kNone) == bodyless);
  if (!bodyless) {
    RC_ASSERT(length == (framing.body == BodyFraming::kLength));
    RC_ASSERT(chunked == (framing.body == BodyFraming::kChunked));
    RC_ASSERT((chunked_codings(wire).first > 0) == chunked);
    RC_ASSERT(length || chunked || (framing.body == BodyFraming::kUntilClose && framing.close));
  }
}

RC_GTEST_PROP(Framing, NoContentHasNeitherLengthNorEncoding, ()) {
  Situation s = any_situation();
  s.status = 204;
  const ResponseHead head = head_of(s.fields, s.status);
  const auto framing = decide_framing(s.input, head, Quirks{});
  RC_PRE(framing.ok());
  const Fields wire = read_back(written(head, framing.value()));
  RC_ASSERT(count(wire, "content-length") == 0);
  RC_ASSERT(count(wire, "transfer-encoding") == 0);
}

RC_GTEST_PROP(Framing, Http10NeverSeesATransferEncoding, ()) {
  Situation s = any_situation();
  s.input.http_1_0 = true;
  const ResponseHead head = head_of(s.fields, s.status);
  const auto framing = decide_framing(s.input, head, Quirks{});
  RC_PRE(framing.ok());
  RC_ASSERT(framing.value().body != BodyFraming::kChunked);
  RC_ASSERT(count(read_back(written(head, framing.value())), "transfer-encoding") == 0);
}

RC_GTEST_PROP(Framing, AConnectionThatEndsIsAnnounced, ()) {
  const Situation s = any_situation();
  const ResponseHead head = head_of(s.fields, s.status);
  const auto framing = decide_framing(s.input, head, Quirks{});
  RC_PRE(framing.ok());
  bool announced = false;
  for (const auto& [name, value] : read_back(written(head, framing.value()))) {
    announced = announced || (name == "connection" && list_has_token(value, "close"));
  }
  RC_ASSERT(announced == framing.value().close);
}

RC_GTEST_PROP(Framing, UnderTheReferencesRulesEveryGivenFieldIsSentOnce, ()) {
  const Situation s = any_situation();
  const ResponseHead head = head_of(s.fields, s.status);
  const auto framing = decide_framing(s.input, head, Quirks::parse("uvicorn").value());
  RC_PRE(framing.ok());
  Fields wire = read_back(written(head, framing.value()));
  RC_ASSERT(wire.size() >= s.fields.size());
  RC_ASSERT(wire.size() <= s.fields.size() + 2);
  for (std::size_t i = 0; i < s.fields.size(); ++i) {
    RC_ASSERT(wire[i] == Field(lowered(s.fields[i].first), s.fields[i].second));
  }
}

}  // namespace
}  // namespace overbite::http
