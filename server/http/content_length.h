// The application's Content-Length.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace overbite::http {

// Strict: one or more ASCII digits (RFC 9110 8.6). Loose: what Python's int() takes from a str that
// was decoded from these bytes, as far as ASCII goes: blanks around, a sign, single underscores
// between digits. Empty: not a number, or beyond int64.
std::optional<std::int64_t> parse_content_length(std::string_view value, bool loose);

}  // namespace overbite::http
