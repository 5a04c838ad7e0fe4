#include "ordering/weaken.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <cstdio>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "ordering/report/source_lines.h"
#include "ordering/runtime/symbols.h"

namespace overbite::ordering {

namespace {

const char* name_of(std::uint8_t order) {
  constexpr const char* kNames[] = {
      "relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst"};
  return order == kDropped ? "dropped" : kNames[order];
}

const char* name_of(OpKind kind) {
  switch (kind) {
    case OpKind::kLoad:
      return "load";
    case OpKind::kStore:
      return "store";
    case OpKind::kRmw:
      return "read-modify-write";
    case OpKind::kCas:
      return "compare-exchange";
    case OpKind::kFence:
      return "fence";
    default:
      return "notify";
  }
}

// What an operation can be instead, the strongest first.
std::vector<std::uint8_t> weaker(OpKind kind, std::uint8_t order) {
  std::vector<std::uint8_t> all;
  switch (kind) {
    case OpKind::kLoad:
      all = {kAcquire, kRelaxed};
      break;
    case OpKind::kStore:
      all = {kRelease, kRelaxed};
      break;
    case OpKind::kFence:
      all = {kAcqRel, kRelease, kAcquire, kDropped};
      break;
    case OpKind::kRmw:
    case OpKind::kCas:
      all = {kAcqRel, kRelease, kAcquire, kRelaxed};
      break;
    default:
      return {kDropped};
  }
  std::erase_if(all, [order](std::uint8_t other) {
    if (other == kDropped || other == kRelaxed) {
      return order == kRelaxed;
    }
    const bool gains_acquire = acquires(other) && !acquires(order);
    const bool gains_release = releases(other) && !releases(order);
    return other == order || gains_acquire || gains_release;
  });
  return all;
}

struct Module {
  std::uintptr_t base = 0;
  std::string path;
};

Module find_module(const std::string& name) {
  std::pair<const std::string*, Module> search{&name, {}};
  ::dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* raw) {
        auto& [wanted, found] = *static_cast<std::pair<const std::string*, Module>*>(raw);
        const std::string path = info->dlpi_name;
        if (path.ends_with(*wanted)) {
          found = {info->dlpi_addr, path};
          return 1;
        }
        return 0;
      },
      &search);
  return search.second;
}

// Every call of an atomic operation in the module, by the address behind it.
std::map<std::uintptr_t, std::string> calls_in(const Module& module) {
  std::map<std::uintptr_t, std::string> calls;
  const std::string command = "objdump -d --no-show-raw-insn '" + module.path + "'";
  const std::unique_ptr<FILE, int (*)(FILE*)> out(::popen(command.c_str(), "r"), &::pclose);
  if (out == nullptr) {
    return calls;
  }
  char line[512];
  std::string pending;
  while (std::fgets(line, sizeof line, out.get()) != nullptr) {
    unsigned long address = 0;
    if (std::sscanf(line, " %lx:", &address) != 1) {
      continue;
    }
    if (!pending.empty()) {
      calls[address] = std::exchange(pending, {});
    }
    const std::string text = line;
    const std::size_t atomic = text.find("<__tsan_atomic");
    const std::size_t notify = text.find("<pthread_cond_");
    if (text.find("call") != std::string::npos &&
        (atomic != std::string::npos || notify != std::string::npos)) {
      const std::size_t start = (atomic != std::string::npos ? atomic : notify) + 1;
      pending = text.substr(start, text.find_first_of("@>", start) - start);
      if (pending.find("wait") != std::string::npos ||
          pending.find("signal_fence") != std::string::npos) {
        pending.clear();
      }
    }
  }
  return calls;
}

// What the scenarios say with this site weakened: the first that does not pass.
struct Outcome {
  const Scenario* scenario = nullptr;
  Exploration exploration;
};
Outcome try_all(Machine& machine,
                const std::vector<const Scenario*>& scenarios,
                const ExploreLimits& limits) {
  for (const Scenario* scenario : scenarios) {
    Outcome outcome{scenario, explore_all(machine, scenario->body, Model::kRc11, limits)};
    if (outcome.exploration.verdict != Verdict::kPass) {
      return outcome;
    }
  }
  return {};
}

void judge(Machine& machine,
           const std::vector<const Scenario*>& scenarios,
           const ExploreLimits& limits,
           const Site& site,
           SiteReport& report) {
  for (const std::uint8_t order : weaker(site.kind, site.order)) {
    machine.weaken(site.pc, order);
    const Outcome outcome = try_all(machine, scenarios, limits);
    machine.weaken(nullptr, 0);
    if (outcome.scenario == nullptr) {
      report.weakest = name_of(order);
      continue;
    }
    report.broken = name_of(order);
    report.scenario = outcome.scenario->name;
    report.failure = outcome.exploration.reason;
    const bool failed = outcome.exploration.verdict == Verdict::kFail;
    report.verdict = !failed                  ? SiteVerdict::kIncomplete
                     : report.weakest.empty() ? SiteVerdict::kNeeded
                                              : SiteVerdict::kPartly;
    return;
  }
  report.verdict = SiteVerdict::kTooStrong;
}

}  // namespace

std::vector<SiteReport> weaken_all(const std::vector<const Scenario*>& scenarios,
                                   const std::string& name,
                                   const ExploreLimits& limits) {
  const Module module = find_module(name);
  std::vector<SiteReport> reports;
  if (module.path.empty()) {
    return reports;
  }
  Machine machine;
  machine.collect_sites(true);
  const Outcome baseline = try_all(machine, scenarios, limits);
  machine.collect_sites(false);
  std::map<std::uintptr_t, Site> reached;
  for (const Site& site : machine.sites()) {
    if (is_in_file(site.pc, name.c_str())) {
      reached[reinterpret_cast<std::uintptr_t>(site.pc) - module.base] = site;
    }
  }
  const auto calls = calls_in(module);
  const auto code_at = [&module](std::uintptr_t offset) {
    return reinterpret_cast<const void*>(module.base + offset);
  };
  std::set<const void*> code;
  for (const auto& [offset, call] : calls) {
    code.insert(code_at(offset));
  }
  const SourceLookup lines = source_lines_of(code);
  for (const auto& [offset, call] : calls) {
    SiteReport report;
    report.offset = offset;
    report.operation = call;
    report.function = function_name(code_at(offset));
    report.line = lines(code_at(offset)).place();
    if (const auto found = reached.find(offset); found != reached.end()) {
      report.operation = name_of(found->second.kind);
      report.order = name_of(found->second.order);
      if (baseline.scenario != nullptr) {
        report.verdict = SiteVerdict::kIncomplete;
        report.scenario = baseline.scenario->name;
        report.failure = "fails as it is: " + baseline.exploration.reason;
      } else if (weaker(found->second.kind, found->second.order).empty()) {
        report.verdict = SiteVerdict::kWeakest;
      } else {
        judge(machine, scenarios, limits, found->second, report);
      }
    }
    reports.push_back(std::move(report));
  }
  return reports;
}

}  // namespace overbite::ordering
