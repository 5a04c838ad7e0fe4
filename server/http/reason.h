// Reason phrases: a table equal to http.client.responses of the running interpreter.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace overbite::http {

class ReasonTable {
 public:
  static constexpr int kFirst = 100;
  static constexpr int kLast = 599;

  // Filled once, by the python layer, before requests are served.
  void set(int status, std::string phrase);
  // Empty for a status without a phrase.
  std::string_view phrase(int status) const;
  // The reference knows 100..599 and nothing else.
  static bool covers(int status) { return status >= kFirst && status <= kLast; }

 private:
  std::array<std::string, kLast - kFirst + 1> phrases_;
};

}  // namespace overbite::http
