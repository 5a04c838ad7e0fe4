// Weakens one atomic operation at a time, in the machine and without rebuilding, and looks which
// scenario breaks.
#pragma once

#include <string>
#include <vector>

#include "ordering/explore/explorer.h"
#include "ordering/scenario.h"

namespace overbite::ordering {

enum class SiteVerdict : std::uint8_t {
  kNeeded,      // the next weaker form breaks a scenario
  kTooStrong,   // its weakest form breaks none
  kPartly,      // some weaker form breaks none, a still weaker one does
  kWeakest,     // as it is written
  kNotReached,  // by no scenario
  kIncomplete,  // a cap was reached
};

// A call of an atomic operation, a fence or a notification in the code under test.
struct SiteReport {
  std::uintptr_t offset = 0;  // in its module, of the instruction behind the call
  std::string operation;      // "store", "fence", ...
  std::string function;
  std::string line;   // file:line, or empty
  std::string order;  // as written
  SiteVerdict verdict = SiteVerdict::kNotReached;
  std::string weakest;   // that passes; empty if none weaker does
  std::string broken;    // the order that breaks, empty if none does
  std::string scenario;  // that breaks first
  std::string failure;
};

// Under RC11. `module`: the end of the file name of the code under test. Sites in the order of
// their offsets.
std::vector<SiteReport> weaken_all(const std::vector<const Scenario*>& scenarios,
                                   const std::string& module,
                                   const ExploreLimits& limits);

// A line each and a summary, or one JSON document.
void print_sites(const std::vector<SiteReport>& sites, bool json);

}  // namespace overbite::ordering
