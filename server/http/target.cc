#include "server/http/target.h"

#include <fmt/format.h>
#include <http_parser.h>

#include <cstdint>

#include "server/base/limits.h"

namespace overbite::http {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD

int hex_value(char c) {
  if (c >= '0' && c <= '9') {
    return c - '0';
  }
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

std::string percent_decode(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      const int high = hex_value(text[i + 1]);
      const int low = hex_value(text[i + 2]);
      if (high >= 0 && low >= 0) {
        out.push_back(static_cast<char>(high * 16 + low));
        i += 2;
        continue;
      }
    }
    out.push_back(text[i]);
  }
  return out;
}

// What may follow a lead byte (Unicode 15, table 3-7). `length` 0: no lead byte at all.
struct Lead {
  int length;
  unsigned char second_min;
  unsigned char second_max;
};

constexpr Lead lead_of(unsigned char byte) {
  if (byte < 0x80) {
    return {1, 0, 0};
  }
  if (byte < 0xc2) {
    return {0, 0, 0};
  }
  if (byte < 0xe0) {
    return {2, 0x80, 0xbf};
  }
  if (byte == 0xe0) {
    return {3, 0xa0, 0xbf};
  }
  if (byte == 0xed) {
    return {3, 0x80, 0x9f};
  }
  if (byte < 0xf0) {
    return {3, 0x80, 0xbf};
  }
  if (byte == 0xf0) {
    return {4, 0x90, 0xbf};
  }
  if (byte < 0xf4) {
    return {4, 0x80, 0xbf};
  }
  if (byte == 0xf4) {
    return {4, 0x80, 0x8f};
  }
  return {0, 0, 0};
}

// Each maximal ill-formed part becomes one U+FFFD, as in CPython's decoder.
std::string replace_invalid_utf8(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  for (std::size_t i = 0; i < bytes.size();) {
    const Lead lead = lead_of(static_cast<unsigned char>(bytes[i]));
    std::size_t taken = 1;
    while (taken < static_cast<std::size_t>(lead.length) && i + taken < bytes.size()) {
      const auto next = static_cast<unsigned char>(bytes[i + taken]);
      const bool fits = taken == 1 ? next >= lead.second_min && next <= lead.second_max
                                   : next >= 0x80 && next <= 0xbf;
      if (!fits) {
        break;
      }
      ++taken;
    }
    const bool whole = taken == static_cast<std::size_t>(lead.length);
    out.append(whole ? bytes.substr(i, taken) : kReplacement);
    i += taken;
  }
  return out;
}

}  // namespace

base::Result<Target> split_target(std::string_view target) {
  if (target.size() > limits::kTargetBytesMax) {
    return base::Error{fmt::format(
        "request target of {} bytes is longer than {}", target.size(), limits::kTargetBytesMax)};
  }
  http_parser_url url;
  http_parser_url_init(&url);
  if (http_parser_parse_url(target.data(), target.size(), 0, &url) != 0) {
    return base::Error{fmt::format("request target \"{}\" is no URL", target)};
  }
  const auto part = [&](http_parser_url_fields field) {
    return (url.field_set & (1u << field)) == 0
               ? std::string_view()
               : target.substr(url.field_data[field].off, url.field_data[field].len);
  };
  if ((url.field_set & (1u << UF_PATH)) == 0) {
    return base::Error{fmt::format("request target \"{}\" has no path", target)};
  }
  return Target{part(UF_PATH), part(UF_QUERY)};
}

std::string unquote_path(std::string_view raw_path) {
  if (raw_path.find('%') == std::string_view::npos) {
    return std::string(raw_path);
  }
  return replace_invalid_utf8(percent_decode(raw_path));
}

}  // namespace overbite::http
