// The --json half of output.h.
#include <nlohmann/json.hpp>

#include "sabotage/runner/output.h"

namespace overbite::sabotage {
namespace {

using nlohmann::json;

// Test output may hold any bytes; what is not UTF-8 is replaced, not thrown at the user.
std::string dump(const json& document) {
  return document.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

json killer_json(const Killer& killer) {
  return {{"test", killer.name.spec},
          {"kind", std::string(kind_name(killer.kind))},
          {"text", killer.text}};
}

json entry_json(const CatalogueEntry& entry) {
  json object = {{"id", entry.id}, {"patch", entry.file.string()}};
  if (!entry.patch) {
    object["problem"] = entry.problem;
    return object;
  }
  object["source"] = entry.patch->source.string();
  object["harm"] = entry.patch->harm;
  if (!entry.patch->origin.empty()) {
    object["origin"] = entry.patch->origin;
  }
  object["killers"] = json::array();
  for (const Killer& killer : entry.patch->killers) {
    object["killers"].push_back(killer_json(killer));
  }
  return object;
}

json document(std::string_view command, Exit exit) {
  return {{"version", 1}, {"command", std::string(command)}, {"exit_code", static_cast<int>(exit)}};
}

void add_judgement(const Judgement& judgement, json& object) {
  object["verdict"] = std::string(verdict_name(judgement.verdict));
  object["detail"] = judgement.detail;
}

}  // namespace

std::string patches_as_json(const std::vector<CatalogueEntry>& entries) {
  json root = document("list", Exit::kAllBite);
  root["patches"] = json::array();
  for (const CatalogueEntry& entry : entries) {
    root["patches"].push_back(entry_json(entry));
  }
  return dump(root);
}

std::string results_as_json(const std::vector<PatchResult>& results, Exit exit) {
  json root = document("run", exit);
  root["patches"] = json::array();
  root["summary"] = json::object();
  for (const PatchResult& result : results) {
    json object = entry_json(result.entry);
    add_judgement(result.judgement, object);
    object["guard_line"] = result.guard_line;
    object["seconds"] = result.seconds;
    object["tests"] = json::array();
    for (const TestResult& test : result.results) {
      json one = {{"test", test.test.spec}, {"expected", test.expected}, {"seconds", test.seconds}};
      add_judgement(test.judgement, one);
      object["tests"].push_back(one);
    }
    root["patches"].push_back(object);
    json& count = root["summary"][std::string(verdict_name(result.judgement.verdict))];
    count = count.is_null() ? 1 : count.get<int>() + 1;
  }
  return dump(root);
}

std::string pipeline_as_json(std::string_view step,
                             const std::vector<PipelineResult>& results,
                             Exit exit) {
  json root = document(step, exit);
  root["tests"] = json::array();
  for (const PipelineResult& result : results) {
    json one = {{"test", result.test.spec}, {"as_it_should", result.as_it_should}};
    one["detail"] = result.judgement.detail;
    root["tests"].push_back(one);
  }
  return dump(root);
}

std::string baseline_as_json(const Baseline& baseline, Exit exit) {
  json root = document("baseline", exit);
  root["tests"] = json::array();
  for (const auto& [spec, entry] : baseline.tests) {
    root["tests"].push_back({{"test", spec},
                             {"green", entry.green()},
                             {"seconds", entry.seconds},
                             {"detail", entry.judgement.detail}});
  }
  return dump(root);
}

std::string check_as_json(const CheckReport& report, Exit exit) {
  json root = document("check", exit);
  root["patches"] = report.patches;
  root["guards"] = report.guards;
  root["problems"] = report.problems;
  root["notes"] = report.notes;
  return dump(root);
}

}  // namespace overbite::sabotage
