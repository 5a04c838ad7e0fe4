// Reading what test programs write about one named test. The exit code alone is never enough: a
// gtest filter that selects nothing exits with 0 and prints PASSED.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace overbite::sabotage {

struct CaseReport {
  std::vector<std::string> ran;  // names of the tests that ran, skipped ones left out
  bool failed = false;           // in its body: a gtest failure, pytest's call phase, a scenario
  bool error = false;            // around its body: pytest's setup or teardown
  std::string text;              // everything the report says about the failure
};

// --gtest_output=json of GoogleTest 1.10 and later. Throws Failure(kInternal) when it is no report.
CaseReport read_gtest_json(std::string_view json);

// pytest --junitxml. Throws as above.
CaseReport read_junit_xml(std::string_view xml);

// What overbite-order run <scenario> --json printed, with its exit code: 0 the promise holds, 1 it
// is broken. `text` holds the output and every string in it, unescaped. Throws as above for any
// other exit code, and when the output is not JSON.
CaseReport read_ordering_json(std::string_view scenario, std::string_view json, int exit_code);

}  // namespace overbite::sabotage
