// The names of tests and of the ways they go red, as patch.h declares them.
#include <fmt/format.h>

#include <utility>

#include "sabotage/runner/failure.h"
#include "sabotage/runner/patch.h"

namespace overbite::sabotage {

std::string_view kind_name(KillKind kind) {
  switch (kind) {
    case KillKind::kAssert:
      return "assert";
    case KillKind::kCrash:
      return "crash";
    case KillKind::kHang:
      return "hang";
    case KillKind::kScenario:
      return "scenario";
  }
  return "?";
}

TestName parse_test_name(std::string_view spec) {
  const std::string whole(spec);
  const std::size_t colon = spec.find(':');
  const std::string_view type = spec.substr(0, colon);
  const std::string_view rest =
      colon == std::string_view::npos ? std::string_view() : spec.substr(colon + 1);
  const auto fail = [&](std::string_view form) {
    throw Failure(Exit::kUsage, fmt::format("'{}' is no test: expected {}", whole, form));
  };
  const auto halves = [&](std::string_view separator, std::string_view form) {
    const std::size_t at = rest.find(separator);
    if (at == std::string_view::npos || at == 0 || at + separator.size() == rest.size()) {
      fail(form);
    }
    return std::pair(std::string(rest.substr(0, at)),
                     std::string(rest.substr(at + separator.size())));
  };
  if (type == "gtest") {
    auto [binary, test] = halves(":", "gtest:<binary>:<Suite.Case>");
    if (test.find('.') == std::string::npos || test.find_first_of("*?:- ") != std::string::npos) {
      fail("one case, gtest:<binary>:<Suite.Case>");
    }
    return {TestType::kGtest, whole, binary, test};
  }
  if (type == "pytest") {
    auto [path, test] = halves("::", "pytest:<path>::<test>");
    return {TestType::kPytest, whole, path, test};
  }
  const std::size_t at = rest.find('@');
  const std::string_view scenario = rest.substr(0, at);
  const std::string_view model = at == std::string_view::npos ? "sc" : rest.substr(at + 1);
  if (type != "ordering" || scenario.empty() || (model != "sc" && model != "rc11")) {
    fail("gtest:<binary>:<Suite.Case>, pytest:<path>::<test> or ordering:<scenario>[@rc11]");
  }
  return {TestType::kOrdering, whole, std::string(model), std::string(scenario)};
}

}  // namespace overbite::sabotage
