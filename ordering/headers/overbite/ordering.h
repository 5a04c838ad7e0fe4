// For tests of other projects: explores every order of what the threads of a body do.
//
//   TEST(Queue, LosesNothing) {
//     const auto found = overbite::ordering::explore([] {
//       Queue queue;
//       std::thread producer([&] { queue.push(1); });
//       ...
//       overbite::ordering::require(queue.empty(), "item left behind");
//     });
//     EXPECT_TRUE(found.passed()) << found.text();
//   }
//
// What is explored, this file's includer too, is compiled with -fsanitize=thread and linked with
// the explorer in place of ThreadSanitizer: overbite_add_ordering_test() of the CMake package does
// both. ordering/scenario.h says what a body may do, and has require, assume, choose, await, name
// and name_thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>

#include "ordering/scenario.h"

namespace overbite::ordering {

enum class Models : std::uint8_t { kSc, kRc11, kBoth };

struct ExploreOptions {
  Models models = Models::kBoth;
  std::uint64_t executions_max = 1'000'000;  // for each model
  bool leaks = true;                         // memory that nobody freed is a failure
};

enum class Outcome : std::uint8_t {
  kPass,        // every execution was explored, and none failed
  kFail,        // `message`, `timeline` and `replay` say how
  kIncomplete,  // a cap was reached first: nothing is established
  kStopped,     // the body does something that is not modelled, or is not deterministic
  kNotArmed,    // the includer is not instrumented, or nothing was observed: nothing is established
};

struct ExploredCounts {
  std::uint64_t executions = 0;
  std::uint64_t cut = 0;      // runs that came to nothing new
  std::uint64_t assumed = 0;  // ended by assume()
};

struct Explored {
  Outcome outcome = Outcome::kNotArmed;
  ExploredCounts sc;
  ExploredCounts rc11;   // all 0 if it was not reached
  std::string message;   // of every outcome but kPass, one sentence
  std::string timeline;  // of kFail, lines
  std::string replay;    // of kFail: the decisions; empty if they do not bring it back

  bool passed() const { return outcome == Outcome::kPass; }
  // Message, timeline and replay string; empty for a pass.
  std::string text() const;
};

namespace detail {
// `planted` must be found to race, or nothing else is explored.
Explored explore_armed(const std::function<void()>& body,
                       const ExploreOptions& options,
                       const std::function<void()>& planted);

// Of each includer its own: an inline function would be merged with that of an instrumented one.
[[maybe_unused]] static void planted_race_here() {
  volatile int cell = 0;
  std::thread first([&cell] { cell = 1; });
  std::thread second([&cell] { cell = 2; });
  first.join();
  second.join();
}
}  // namespace detail

// SC first, then RC11; the first that does not pass ends it. Not from within a body. Not
// thread-safe.
[[maybe_unused]] static Explored explore(const std::function<void()>& body,
                                         const ExploreOptions& options = {}) {
  return detail::explore_armed(body, options, &detail::planted_race_here);
}

}  // namespace overbite::ordering
