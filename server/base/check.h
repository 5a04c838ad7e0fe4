// Assertions for our own mistakes: on in every build. A peer's mistake is a Result, never a CHECK.
#pragma once

#include <fmt/format.h>

#include <string>

namespace overbite::base {

// Prints "CHECK failed: <expression> (<values>) at <file>:<line>" to stderr and aborts.
[[noreturn]] void check_failed(const char* expression,
                               const std::string& values,
                               const char* file,
                               int line);

}  // namespace overbite::base

#define CHECK(condition)                                                             \
  do {                                                                               \
    if (!(condition)) [[unlikely]] {                                                 \
      ::overbite::base::check_failed(#condition, std::string(), __FILE__, __LINE__); \
    }                                                                                \
  } while (false)

// CHECK with the values that were compared; both must be formattable by fmt.
#define CHECK_OP_(op, a, b)                                                                    \
  do {                                                                                         \
    const auto& check_a_ = (a);                                                                \
    const auto& check_b_ = (b);                                                                \
    if (!(check_a_ op check_b_)) [[unlikely]] {                                                \
      ::overbite::base::check_failed(                                                          \
          #a " " #op " " #b, fmt::format("{} vs {}", check_a_, check_b_), __FILE__, __LINE__); \
    }                                                                                          \
  } while (false)
#define CHECK_EQ(a, b) CHECK_OP_(==, a, b)
#define CHECK_LT(a, b) CHECK_OP_(<, a, b)
#define CHECK_LE(a, b) CHECK_OP_(<=, a, b)
