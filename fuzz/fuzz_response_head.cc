// The way of a response head from the application's fields to bytes: classify, refuse, store,
// frame, write. Whatever the application gives, a strict reader of the result finds just what was
// accepted.
//
// Input: quirks (3 bytes, a bit each), request (1), status (2), reason up to FF, then fields, each
// a name up to FE and a value up to FF.
#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fuzz/input.h"
#include "server/base/check.h"
#include "server/http/ascii.h"
#include "server/http/framing.h"
#include "server/http/head_writer.h"
#include "server/http/refusal.h"

namespace overbite::fuzz {
namespace {

constexpr char kNameEnd = '\xfe';
constexpr char kValueEnd = '\xff';
constexpr std::string_view kSplitters("\r\n\0", 3);

using Field = std::pair<std::string, std::string>;
using Fields = std::vector<Field>;

http::Quirks quirks_of(std::uint32_t bits) {
  static_assert(sizeof(http::Quirks) <= 24);
  bool flags[sizeof(http::Quirks)];
  for (std::size_t i = 0; i < sizeof(flags); ++i) {
    flags[i] = (bits >> i & 1) != 0;
  }
  http::Quirks quirks;
  std::memcpy(&quirks, flags, sizeof(flags));
  return quirks;
}

// Everything between the status line and the blank line; the head must end with that.
Fields read_strictly(std::string_view wire, std::string_view status_line) {
  Fields fields;
  CHECK(wire.substr(0, status_line.size()) == status_line);
  wire.remove_prefix(status_line.size());
  while (true) {
    const std::size_t end = wire.find("\r\n");
    CHECK(end != std::string_view::npos);
    const std::string_view line = wire.substr(0, end);
    wire.remove_prefix(end + 2);
    if (line.empty()) {
      CHECK(wire.empty());
      return fields;
    }
    CHECK(line.find_first_of(kSplitters) == std::string_view::npos);
    const std::size_t colon = line.find(": ");
    CHECK(colon != std::string_view::npos);
    fields.emplace_back(line.substr(0, colon), line.substr(colon + 2));
  }
}

bool is_length(const Field& field) { return field.first == "content-length"; }
bool is_encoding(const Field& field) { return field.first == "transfer-encoding"; }
bool is_cookie(const Field& field) { return field.first == "set-cookie"; }
bool may_be_dropped(const Field& field) { return is_length(field) || is_encoding(field); }

// `fields` is `given`, in order, where only a Content-Length or Transfer-Encoding may be missing.
void check_kept(const Fields& given, const Fields& fields) {
  std::size_t at = 0;
  for (const Field& field : given) {
    if (at < fields.size() && fields[at] == field) {
      ++at;
    } else {
      CHECK(may_be_dropped(field));
    }
  }
  CHECK_EQ(at, fields.size());
}

// What the defaults promise; a quirk may break it.
void check_framing(const http::FramingInput& input,
                   int status,
                   const Fields& fields,
                   const http::Framing& framing) {
  const auto lengths = std::count_if(fields.begin(), fields.end(), is_length);
  const auto encodings = std::count_if(fields.begin(), fields.end(), is_encoding);
  CHECK_LE(lengths, 1);
  CHECK(lengths == 0 || encodings == 0);
  CHECK(!input.http_1_0 || encodings == 0);
  CHECK(status != 204 || (lengths == 0 && encodings == 0));
  const bool bodyless = input.head_request || status == 204 || status == 304;
  CHECK_EQ(framing.body == http::BodyFraming::kNone, bodyless);
  if (!bodyless) {
    CHECK_EQ(framing.body == http::BodyFraming::kLength, lengths == 1);
    CHECK_EQ(framing.body == http::BodyFraming::kChunked, encodings > 0);
    CHECK(framing.body != http::BodyFraming::kUntilClose || framing.close);
    CHECK(framing.body != http::BodyFraming::kEmpty);
    CHECK_LE(0, framing.length);
  }
}

Fields read_fields(Input& input, http::ResponseHead& head) {
  Fields accepted;
  while (!input.empty()) {
    const std::string_view name = input.take_until(kNameEnd);
    const std::string_view value = input.take_until(kValueEnd);
    if (http::refuse_field(name, value) != http::Refusal::kNone) {
      continue;
    }
    CHECK(name.find_first_of(kSplitters) == std::string_view::npos);
    CHECK(value.find_first_of(kSplitters) == std::string_view::npos);
    head.add(http::classify_field(name), name, value);
    std::string lowered(name);
    std::transform(lowered.begin(), lowered.end(), lowered.begin(), http::to_lower);
    accepted.emplace_back(std::move(lowered), value);
  }
  return accepted;
}

void run(Input input) {
  const std::uint32_t bits = input.two_bytes() << 8 | input.byte();
  const http::Quirks quirks = quirks_of(bits);
  const std::uint8_t request = input.byte();
  const http::FramingInput framing_input{.head_request = (request & 1) != 0,
                                         .http_1_0 = (request & 2) != 0,
                                         .keep_alive = (request & 4) == 0,
                                         .draining = (request & 8) != 0};
  http::ResponseHead head;
  head.status = static_cast<int>(100 + input.two_bytes() % 500);
  head.reason = input.take_until(kValueEnd);
  // The WSGI reader refuses a reason by the rule of values.
  head.own_reason = http::refuse_field("", head.reason) == http::Refusal::kNone;
  const Fields accepted = read_fields(input, head);

  const auto framing = http::decide_framing(framing_input, head, quirks);
  if (!framing) {
    CHECK(framing.error().find_first_of(kSplitters) == std::string::npos);
    return;
  }
  std::string wire;
  http::write_head(head, framing.value(), http::ReasonTable{}, "date: d\r\n", wire);

  Fields fields = read_strictly(
      wire, fmt::format("HTTP/1.1 {} {}\r\n", head.status, head.own_reason ? head.reason : ""));
  CHECK(!fields.empty() && fields.front() == Field("date", "d"));
  fields.erase(fields.begin());
  CHECK_EQ(std::count_if(fields.begin(), fields.end(), is_cookie),
           std::count_if(accepted.begin(), accepted.end(), is_cookie));
  if (bits == 0) {
    check_framing(framing_input, head.status, fields, framing.value());
  }
  if (framing.value().add_chunked_field) {
    CHECK(!fields.empty() && fields.back() == Field("transfer-encoding", "chunked"));
    fields.pop_back();
  }
  if (framing.value().add_close_field) {
    CHECK(!fields.empty() && fields.back() == Field("connection", "close"));
    fields.pop_back();
  }
  check_kept(accepted, fields);
}

}  // namespace
}  // namespace overbite::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  overbite::fuzz::run(overbite::fuzz::Input(data, size));
  return 0;
}
