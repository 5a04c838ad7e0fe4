#include "sabotage/runner/reports.h"

#include <fmt/format.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>

#include "sabotage/runner/failure.h"
#include "sabotage/runner/text.h"

namespace overbite::sabotage {
namespace {

using nlohmann::json;

// In a document a test wrote, nothing is taken for granted: a missing or misplaced part throws a
// json exception, which the callers turn into one line.
void take_gtest_case(const json& suite, const json& test, CaseReport& report) {
  const auto result = test.at("result").get<std::string>();
  if (test.at("status").get<std::string>() != "RUN" || result == "SKIPPED") {
    return;
  }
  report.ran.push_back(fmt::format(
      "{}.{}", suite.at("name").get<std::string>(), test.at("name").get<std::string>()));
  for (const json& failure : test.value("failures", json::array())) {
    report.failed = true;
    report.text.append(failure.at("failure").get<std::string>()).append("\n");
  }
}

void collect_strings(const json& value, std::string& text) {
  if (value.is_string()) {
    text.append(value.get<std::string>()).append("\n");
  } else if (value.is_structured()) {
    for (const json& element : value) {
      collect_strings(element, text);
    }
  }
}

void take_junit_case(const pugi::xml_node& test, CaseReport& report) {
  if (test.child("skipped")) {
    return;
  }
  const std::string name =
      fmt::format("{}::{}", test.attribute("classname").value(), test.attribute("name").value());
  // A teardown that fails after the test did comes as a second entry of the same name.
  if (report.ran.empty() || report.ran.back() != name) {
    report.ran.push_back(name);
  }
  for (const pugi::xml_node& outcome : test.children()) {
    const std::string_view tag = outcome.name();
    if (tag == "failure" || tag == "error") {
      (tag == "failure" ? report.failed : report.error) = true;
      report.text.append(outcome.attribute("message").value()).append("\n");
      report.text.append(outcome.child_value()).append("\n");
    }
  }
}

}  // namespace

CaseReport read_gtest_json(std::string_view text) {
  CaseReport report;
  try {
    const json document = json::parse(text);
    for (const json& suite : document.at("testsuites")) {
      for (const json& test : suite.at("testsuite")) {
        take_gtest_case(suite, test, report);
      }
    }
  } catch (const json::exception& error) {
    throw Failure(Exit::kInternal, "bad GoogleTest report: " + first_line(error.what()));
  }
  return report;
}

CaseReport read_junit_xml(std::string_view xml) {
  pugi::xml_document document;
  const pugi::xml_parse_result parsed = document.load_buffer(xml.data(), xml.size());
  if (!parsed || !document.document_element()) {
    throw Failure(Exit::kInternal, fmt::format("bad JUnit report: {}", parsed.description()));
  }
  CaseReport report;
  for (const pugi::xpath_node& test : document.select_nodes("//testcase")) {
    take_junit_case(test.node(), report);
  }
  return report;
}

CaseReport read_ordering_json(std::string_view scenario, std::string_view text, int exit_code) {
  constexpr int kUnknownScenario = 2;
  if (exit_code == kUnknownScenario) {
    return {};  // nothing ran
  }
  if (exit_code != 0 && exit_code != 1) {
    throw Failure(Exit::kInternal,
                  fmt::format("overbite-order gave no verdict: exit {}", exit_code));
  }
  CaseReport report;
  report.ran.emplace_back(scenario);
  report.failed = exit_code == 1;
  report.text = text;
  const json document = json::parse(text, nullptr, false);
  if (document.is_discarded()) {
    throw Failure(Exit::kInternal, "overbite-order printed no JSON: " + first_line(text));
  }
  report.text += '\n';
  collect_strings(document, report.text);
  return report;
}

}  // namespace overbite::sabotage
