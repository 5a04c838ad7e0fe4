#include "server/http/framing.h"

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "server/http/ascii.h"
#include "server/http/content_length.h"

namespace overbite::http {
namespace {

// What the application's head says of the body and of the connection.
struct Said {
  std::optional<std::int64_t> length;  // the first Content-Length
  bool length_given = false;
  bool length_repeated = false;
  // Transfer-Encoding, over all of its lines
  bool encoding_given = false;
  bool plainly_chunked =
      false;  // a line that is nothing but "chunked": all the reference looks for
  int chunked_codings = 0;
  int identity_codings = 0;
  int other_codings = 0;
  bool chunked_last = false;
  bool close = false;

  // A coding that changes how the body is delimited or read; "identity" and an empty list do not.
  bool is_coded() const { return chunked_codings + other_codings > 0; }
  // "chunked" once, at the end, and nothing that RFC 9112 7 does not know.
  bool ends_in_chunked() const {
    return chunked_codings == 1 && chunked_last && identity_codings == 0;
  }
  // Only codings such as gzip: adding chunked behind them is what RFC 9112 6.1 asks.
  bool lacks_only_chunked() const {
    return other_codings > 0 && chunked_codings == 0 && identity_codings == 0;
  }
};

// As Python's repr() of a str, with every byte that is not printable ASCII escaped.
std::string quoted(std::string_view text) {
  const char quote = text.find('\'') != text.npos && text.find('"') == text.npos ? '"' : '\'';
  std::string out(1, quote);
  for (const char c : text) {
    if (c == '\t') {
      out += "\\t";
    } else if (c == '\\' || c == quote) {
      out += {'\\', c};
    } else if (c < 0x20 || c == 0x7f) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out + quote;
}

base::Error length_error(std::string_view value) {
  if (parse_content_length(value, true)) {
    return {fmt::format("Content-Length {} is not made of digits only", quoted(value))};
  }
  if (!value.empty() && value.find_first_not_of("0123456789") == value.npos) {
    return {fmt::format("Content-Length {} is too large", quoted(value))};
  }
  return {fmt::format("invalid literal for int() with base 10: {}", quoted(value))};
}

base::Result<> hear_length(std::string_view value, const Quirks& quirks, Said& said) {
  const bool first = !said.length_given;
  said.length_given = true;
  said.length_repeated = !first;
  if (said.plainly_chunked || (!first && quirks.double_content_length)) {
    return base::Ok{};  // not looked at, as in the reference
  }
  const std::optional<std::int64_t> length =
      parse_content_length(value, quirks.loose_content_length);
  if (!length) {
    return length_error(value);
  }
  if (!first && *said.length != *length) {
    return base::Error{
        fmt::format("two Content-Length fields that differ: {} and {}", *said.length, *length)};
  }
  said.length = length;
  return base::Ok{};
}

void hear_encoding(std::string_view value, Said& said) {
  said.encoding_given = true;
  said.plainly_chunked = said.plainly_chunked || equals_ignoring_case(value, "chunked");
  for_each_element(value, [&](std::string_view element) {
    const std::string_view coding = trim_blanks(element.substr(0, element.find(';')));
    if (coding.empty()) {
      return;
    }
    said.chunked_last = equals_ignoring_case(coding, "chunked");
    if (said.chunked_last) {
      ++said.chunked_codings;
    } else if (equals_ignoring_case(coding, "identity")) {
      ++said.identity_codings;
    } else {
      ++said.other_codings;
    }
  });
}

base::Result<Said> hear(const ResponseHead& head, const Quirks& quirks) {
  Said said;
  for (std::size_t i = 0; i < head.size(); ++i) {
    switch (head.field(i).kind) {
      case FieldKind::kContentLength: {
        const auto heard = hear_length(head.value(i), quirks, said);
        if (!heard) {
          return base::Error{heard.error()};
        }
        break;
      }
      case FieldKind::kTransferEncoding:
        hear_encoding(head.value(i), said);
        break;
      case FieldKind::kConnection:
        said.close = said.close || list_has_token(head.value(i), "close");
        break;
      case FieldKind::kSetCookie:
      case FieldKind::kOrdinary:
        break;
    }
  }
  return said;
}

// Leaves out what RFC 9112 6.1 and 6.2 forbid beside the rest, and says which framing is meant.
// Only for a status and method that may have a body.
void choose_delimiter(const Said& said, bool to_1_0, const Quirks& quirks, Framing& framing) {
  const bool both = said.length_given && said.encoding_given;
  if (both && quirks.length_and_chunked) {
    framing.body = said.plainly_chunked ? BodyFraming::kChunked : BodyFraming::kLength;
    return;
  }
  if (both && !said.is_coded()) {
    framing.drop_transfer_encoding = true;
    framing.body = BodyFraming::kLength;
    return;
  }
  if (both) {
    framing.drop_content_length = true;  // guard: length-and-chunked-both-sent
  }
  if (said.length_given && !both) {
    framing.body = BodyFraming::kLength;
    return;
  }
  if (to_1_0) {
    framing.drop_transfer_encoding = said.encoding_given;
    framing.body = BodyFraming::kUntilClose;
    return;
  }
  framing.body = BodyFraming::kChunked;
  if (quirks.double_transfer_encoding) {
    framing.add_chunked_field = !said.plainly_chunked;
    return;
  }
  framing.add_chunked_field = !said.ends_in_chunked();
  framing.drop_transfer_encoding =
      said.encoding_given && framing.add_chunked_field && !said.lacks_only_chunked();
}

// HEAD: the head a GET would have had, as far as the application gave it.
void frame_head_request(const Said& said, bool to_1_0, const Quirks& quirks, Framing& framing) {
  if (said.length_given && said.encoding_given) {
    choose_delimiter(said, to_1_0, quirks, framing);
  }
  framing.drop_transfer_encoding |= to_1_0 && said.encoding_given;
  framing.add_chunked_field = false;
  framing.body = BodyFraming::kNone;  // guard: last-chunk-on-head
}

// 204 and 304 by the reference's rules: framed like any other once the application says how.
void frame_bodyless_as_reference(const Said& said,
                                 bool to_1_0,
                                 const Quirks& quirks,
                                 Framing& framing) {
  if (!said.length_given && !said.plainly_chunked && !said.ends_in_chunked()) {
    framing.body = BodyFraming::kEmpty;
    framing.drop_transfer_encoding = to_1_0 && said.encoding_given;
    return;
  }
  choose_delimiter(said, to_1_0, quirks, framing);
}

}  // namespace

base::Result<Framing> decide_framing(const FramingInput& input,
                                     const ResponseHead& head,
                                     const Quirks& quirks) {
  if (head.status < 200 && !quirks.interim_as_final) {
    return base::Error{fmt::format("status {} is not a final response", head.status)};
  }
  const auto heard = hear(head, quirks);
  if (!heard) {
    return base::Error{heard.error()};
  }
  const Said& said = heard.value();
  const bool bodyless = head.status == 204 || head.status == 304;
  // RFC 9112 6.1: no Transfer-Encoding to a client that did not say HTTP/1.1.
  const bool to_1_0 = input.http_1_0 && !quirks.chunked_to_1_0;

  Framing framing;
  if (bodyless && !quirks.body_with_204) {
    framing.body = BodyFraming::kNone;
    framing.drop_content_length = head.status == 204 && said.length_given;  // RFC 9110 8.6
    framing.drop_transfer_encoding = said.encoding_given;
  } else if (input.head_request) {
    frame_head_request(said, to_1_0, quirks, framing);
  } else if (bodyless) {
    frame_bodyless_as_reference(said, to_1_0, quirks, framing);
  } else {
    choose_delimiter(said, to_1_0, quirks, framing);
  }
  framing.length = framing.body == BodyFraming::kLength ? said.length.value_or(0) : 0;
  framing.first_content_length_only = said.length_repeated && !quirks.double_content_length;
  framing.close =
      !input.keep_alive || input.draining || said.close || framing.body == BodyFraming::kUntilClose;
  framing.add_close_field = framing.close && !said.close;
  return framing;
}

}  // namespace overbite::http
