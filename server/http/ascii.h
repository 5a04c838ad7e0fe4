// Letters, blanks and lists of HTTP's own alphabet: ASCII only, whatever the locale.
#pragma once

#include <cstddef>
#include <string_view>

namespace overbite::http {

constexpr char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

constexpr bool equals_ignoring_case(std::string_view a, std::string_view lower_case) {
  if (a.size() != lower_case.size()) {
    return false;
  }
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (to_lower(a[i]) != lower_case[i]) {
      return false;
    }
  }
  return true;
}

// OWS of RFC 9110 5.6.3.
constexpr bool is_blank(char c) { return c == ' ' || c == '\t'; }

constexpr std::string_view trim_trailing_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.back())) {
    text.remove_suffix(1);
  }
  return text;
}

constexpr std::string_view trim_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) {
    text.remove_prefix(1);
  }
  return trim_trailing_blanks(text);
}

// Calls `visit` with every element of a comma-separated list, blanks around it removed; empty
// elements too. Commas inside quoted strings are not told apart: no list read here has any.
template <typename Visit>
constexpr void for_each_element(std::string_view list, Visit visit) {
  while (true) {
    const std::size_t comma = list.find(',');
    visit(trim_blanks(list.substr(0, comma)));
    if (comma == std::string_view::npos) {
      return;
    }
    list.remove_prefix(comma + 1);
  }
}

}  // namespace overbite::http
