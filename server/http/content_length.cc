#include "server/http/content_length.h"

#include <limits>

namespace overbite::http {
namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The ASCII part of str.isspace(), which int() strips.
constexpr bool is_python_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r') || (c >= 0x1c && c <= 0x1f);
}

// Digits with single underscores between them (`underscores` false: with none at all).
std::optional<std::int64_t> parse_digits(std::string_view text, bool underscores) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  std::int64_t number = 0;
  bool after_digit = false;
  for (const char c : text) {
    if (c == '_' && underscores && after_digit) {
      after_digit = false;
      continue;
    }
    if (!is_digit(c)) {
      return std::nullopt;
    }
    const int digit = c - '0';
    if (number > (kMax - digit) / 10) {
      return std::nullopt;
    }
    number = number * 10 + digit;
    after_digit = true;
  }
  return after_digit ? std::optional(number) : std::nullopt;
}

}  // namespace

std::optional<std::int64_t> parse_content_length(std::string_view value, bool loose) {
  if (!loose) {
    return parse_digits(value, false);
  }
  while (!value.empty() && is_python_blank(value.front())) {
    value.remove_prefix(1);
  }
  while (!value.empty() && is_python_blank(value.back())) {
    value.remove_suffix(1);
  }
  const bool negative = !value.empty() && value.front() == '-';
  if (negative || (!value.empty() && value.front() == '+')) {
    value.remove_prefix(1);
  }
  const std::optional<std::int64_t> number = parse_digits(value, true);
  return number && negative ? std::optional(-*number) : number;
}

}  // namespace overbite::http
