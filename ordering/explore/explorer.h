// Runs a body under a search and says what that established.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "ordering/explore/graph.h"
#include "ordering/explore/search.h"
#include "ordering/runtime/machine.h"

namespace overbite::ordering {

enum class Verdict : std::uint8_t {
  kPass,        // every execution the search stands for was explored, and none failed
  kFail,        // `failed` shows how
  kIncomplete,  // a cap was reached first: nothing is established
  kStopped,     // the body does something that is not modelled, or is not deterministic
  kNotArmed,    // nothing was observed: the program is not instrumented
};

struct ExploreLimits {
  std::uint64_t executions_max = 1'000'000;
  std::size_t steps_max = Machine::kStepsMaxDefault;
  int spurious = 0;   // wake-ups for no reason, of each thread
  int reuses = 0;     // of addresses that it freed, of each thread
  bool leaks = true;  // memory that nobody freed in the end is a failure
};

struct Exploration {
  Verdict verdict = Verdict::kPass;
  std::uint64_t executions = 0;  // that ended by themselves
  std::uint64_t cut = 0;         // runs that came to nothing new
  std::uint64_t assumed = 0;     // ended by assume()
  std::uint64_t steps = 0;       // visible operations, of all of them
  double elapsed_ms = 0;
  std::string reason;  // of every verdict but kPass, one sentence
  Execution failed;    // of kFail and kStopped
};

Exploration explore(Machine& machine,
                    const std::function<void()>& body,
                    Search& search,
                    const ExploreLimits& limits,
                    bool counts_first = true);

// Every execution that is consistent with `model`; of one shard, its part of them. The first
// execution is counted by shard 0 only.
Exploration explore_all(Machine& machine,
                        const std::function<void()>& body,
                        Model model,
                        const ExploreLimits& limits,
                        Shard shard = {});

// The same failure with the fewest preemptions that a bounded search finds, or `found` itself.
Execution simplest_failure(Machine& machine,
                           const std::function<void()>& body,
                           const Execution& found);

}  // namespace overbite::ordering
