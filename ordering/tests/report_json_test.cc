// The JSON document against its description, and the page that is made of it.
#include "ordering/report/report_json.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "ordering/program.h"
#include "ordering/tests/hand_made.h"

namespace overbite::ordering {
namespace {

using nlohmann::json;

ScenarioReport failing_report() {
  HandMade run = flag_without_data();
  run.waits(0, "the end of </script> consumer");
  run.fail(FailureKind::kRequirement, "the flag came before the data");
  ScenarioReport report;
  report.name = "by_hand";
  report.strategy = StrategyName::kBruteForce;
  report.replay = "3.";
  report.exploration.verdict = Verdict::kFail;
  report.exploration.reason = "the flag came before the data";
  report.exploration.failed = run.execution;
  report.exploration.failed.race = {{2, false, false, 2, 4, nullptr, "data"}};
  return report;
}

void collect_keys(const json& value, std::set<std::string>& keys) {
  if (value.is_object()) {
    for (const auto& [key, child] : value.items()) {
      keys.insert(key);
      collect_keys(child, keys);
    }
  }
  if (value.is_array()) {
    for (const json& child : value) {
      collect_keys(child, keys);
    }
  }
}

// What the first column of the tables, and the lists of `threads` and `race`, put in backticks.
std::set<std::string> described_keys() {
  std::ifstream file(OVERBITE_SOURCE_DIR "/docs/ordering-json.md");
  std::set<std::string> keys;
  for (std::string line; std::getline(file, line);) {
    const bool lists = line.starts_with("| `threads` |") || line.starts_with("| `race` |");
    const std::size_t end = lists ? line.size() : line.find(" | ", 2);
    for (std::size_t at = line.find('`'); line.starts_with("| `") && at < end;) {
      const std::size_t close = line.find('`', at + 1);
      keys.insert(line.substr(at + 1, close - at - 1));
      at = line.find('`', close + 1);
    }
  }
  return keys;
}

TEST(OrderingJson, HasExactlyTheFieldsThatAreDescribed) {
  std::set<std::string> keys;
  collect_keys(to_json({failing_report()}), keys);
  EXPECT_EQ(keys, described_keys());
}

TEST(OrderingJson, TellsAWeakReadCompletely) {
  const json document = to_json({failing_report()});
  EXPECT_EQ(document.at("schema"), kJsonSchema);
  const json& failure = document.at("scenarios").at(0).at("failure");
  EXPECT_EQ(failure.at("kind"), "requirement");
  const json& read = failure.at("events").at(5);
  EXPECT_EQ(read.at("kind"), "load");
  EXPECT_EQ(failure.at("objects").at(read.at("object").get<std::size_t>()), "data");
  EXPECT_EQ(read.at("order"), "relaxed");
  EXPECT_EQ(read.at("read"), 0);
  EXPECT_TRUE(read.at("source").is_null());
  EXPECT_EQ(read.at("skipped"), 1);
  EXPECT_EQ(read.at("missed"), 2);
  EXPECT_EQ(failure.at("events").at(4).at("source"), 3);
  std::size_t shown = 0;
  for (const json& row : failure.at("rows")) {
    shown += row.at("events").size();
  }
  EXPECT_EQ(shown + failure.at("left_out").get<std::size_t>(), failure.at("events").size());
}

TEST(OrderingPage, NeedsNothingElseAndItsDataCannotEndTheScript) {
  const std::string page = html_page(to_json({failing_report()}));
  EXPECT_EQ(page.find("src="), std::string::npos);
  EXPECT_EQ(page.find("<link"), std::string::npos);
  EXPECT_EQ(page.find("</script> consumer"), std::string::npos);
  EXPECT_NE(page.find("\\u003c/script> consumer"), std::string::npos);
}

}  // namespace
}  // namespace overbite::ordering
