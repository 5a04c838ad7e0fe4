#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "ordering/program.h"
#include "ordering/weaken.h"

namespace overbite::ordering {

namespace {

const char* word(SiteVerdict verdict) {
  switch (verdict) {
    case SiteVerdict::kNeeded:
      return "needed";
    case SiteVerdict::kTooStrong:
      return "too strong";
    case SiteVerdict::kPartly:
      return "partly";
    case SiteVerdict::kWeakest:
      return "weakest";
    case SiteVerdict::kNotReached:
      return "not reached";
    case SiteVerdict::kIncomplete:
      return "incomplete";
  }
  return "?";
}

std::string line_of(const SiteReport& site) {
  std::string says;
  if (!site.broken.empty()) {
    says = fmt::format("{} breaks {}: {}", site.broken, site.scenario, site.failure);
  } else if (!site.failure.empty()) {
    says = site.failure;
  } else if (!site.weakest.empty()) {
    says = fmt::format("{} breaks no scenario", site.weakest);
  }
  if (site.verdict == SiteVerdict::kPartly) {
    says = fmt::format("{} is enough; {}", site.weakest, says);
  }
  return fmt::format("{:<11} {:<28} {:<17} {:<8} {}\n",
                     word(site.verdict),
                     site.line.empty() ? fmt::format("{:#x}", site.offset) : site.line,
                     site.operation,
                     site.order,
                     says);
}

}  // namespace

void print_sites(const std::vector<SiteReport>& sites, bool json) {
  if (!json) {
    int too_strong = 0;
    for (const SiteReport& site : sites) {
      std::fputs(line_of(site).c_str(), stdout);
      too_strong += site.verdict == SiteVerdict::kTooStrong ? 1 : 0;
    }
    std::printf("%zu sites, %d stronger than any scenario needs\n", sites.size(), too_strong);
    return;
  }
  nlohmann::json all = nlohmann::json::array();
  for (const SiteReport& site : sites) {
    all.push_back({{"offset", site.offset},
                   {"function", site.function},
                   {"line", site.line},
                   {"operation", site.operation},
                   {"order", site.order},
                   {"verdict", word(site.verdict)},
                   {"weakest", site.weakest},
                   {"broken", site.broken},
                   {"scenario", site.scenario},
                   {"failure", site.failure}});
  }
  std::printf("%s\n", nlohmann::json{{"sites", std::move(all)}}.dump(2).c_str());
}

}  // namespace overbite::ordering
