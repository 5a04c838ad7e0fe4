// For tests over generated programs: the graph search must find what brute force finds.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "ordering/tests/model.h"

namespace overbite::ordering {

// What is said of the smallest program that is left when operations are dropped one by one for as
// long as something is still said of it.
template <typename Op>
std::string smallest_difference(
    std::vector<std::vector<Op>> program,
    const std::function<std::string(const std::vector<std::vector<Op>>&)>& difference) {
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t t = 0; t < program.size() && !changed; ++t) {
      for (std::size_t i = 0; i < program[t].size() && !changed; ++i) {
        auto smaller = program;
        smaller[t].erase(smaller[t].begin() + static_cast<std::ptrdiff_t>(i));
        if (smaller[t].empty()) {
          smaller.erase(smaller.begin() + static_cast<std::ptrdiff_t>(t));
        }
        if (!smaller.empty() && !difference(smaller).empty()) {
          program = smaller;
          changed = true;
        }
      }
    }
  }
  return difference(program);
}

// Threads of operations, and what is said and done about them.
template <typename Op>
struct Generated {
  using Program = std::vector<std::vector<Op>>;
  std::function<Program(std::mt19937&)> generate;
  std::function<Body(const Program&)> body_of;  // the program outlives it
  std::function<std::string(const Op&)> words;
  std::uint64_t schedules_max = 10000;  // programs with more are left out
  ExploreLimits limits = {};            // of the executions; how many there may be is no matter
  bool also_rc11 = false;               // every access is seq_cst: RC11 adds nothing

  struct Comparison {
    bool finished = false;  // brute force came to an end
    Verdict verdict = Verdict::kPass;
    std::string difference;
  };

  std::string text_of(const Program& program) const {
    std::string text;
    for (const auto& thread : program) {
      for (const Op& op : thread) {
        text += words(op) + " ";
      }
      text += "| ";
    }
    return text;
  }

  Comparison compare(const Program& program) const {
    Comparison result;
    Machine machine;
    BruteForce search(machine);
    ExploreLimits few = limits;
    few.executions_max = schedules_max;
    const Exploration brute = explore(machine, body_of(program), search, few);
    if (brute.verdict == Verdict::kIncomplete) {
      return result;
    }
    result.finished = true;
    result.verdict = brute.verdict;
    const Exploration found = explored(body_of(program), limits);
    bool same =
        found.verdict == brute.verdict &&
        (brute.verdict == Verdict::kPass ? found.executions == search.distinct()
                                         : found.failed.failure.kind == brute.failed.failure.kind);
    if (also_rc11) {
      const Exploration weak = explored(body_of(program), limits, Model::kRc11);
      same = same && weak.verdict == found.verdict &&
             (found.verdict != Verdict::kPass || weak.executions == found.executions);
    }
    if (!same) {
      result.difference = text_of(program) + ": brute force " + std::to_string(search.distinct()) +
                          " " + brute.reason + ", SC " + std::to_string(found.executions) + " " +
                          found.reason;
    }
    return result;
  }

  // How many ended with which verdict. OVERBITE_SEED gives other programs.
  std::map<Verdict, int> expect_same(int programs, unsigned seed) const {
    const char* const given = std::getenv("OVERBITE_SEED");
    std::mt19937 random(given != nullptr ? static_cast<unsigned>(std::atoi(given)) : seed);
    std::map<Verdict, int> verdicts;
    int different = 0;
    for (int i = 0; i < programs; ++i) {
      const Program program = generate(random);
      const Comparison result = compare(program);
      if (result.finished) {
        ++verdicts[result.verdict];
      }
      if (!result.difference.empty() && ++different <= 5) {
        const auto difference = [this](const Program& smaller) {
          return compare(smaller).difference;
        };
        ADD_FAILURE() << smallest_difference<Op>(program, difference);
      }
    }
    EXPECT_EQ(different, 0) << "of " << programs;
    return verdicts;
  }
};

inline unsigned below(std::mt19937& random, unsigned n) {
  return static_cast<unsigned>(random() % n);
}

// Two threads of up to `most_of_two` operations, or three of up to two.
template <typename Op>
std::vector<std::vector<Op>> small_program(std::mt19937& random,
                                           const std::function<Op(std::mt19937&)>& operation,
                                           unsigned most_of_two = 3) {
  std::vector<std::vector<Op>> program(2 + below(random, 2));
  const unsigned most = program.size() == 2 ? most_of_two : 2;
  for (auto& thread : program) {
    thread.resize(1 + below(random, most));
    for (Op& op : thread) {
      op = operation(random);
    }
  }
  return program;
}

// Each thread performs its operations, one after the other, in a world that is new in each
// execution.
template <typename World, typename Op>
std::function<Body(const std::vector<std::vector<Op>>&)> in_world(void (*perform)(const Op&,
                                                                                  World&)) {
  return [perform](const std::vector<std::vector<Op>>& program) -> Body {
    return [&program, perform] {
      World world;
      std::vector<Body> bodies;
      for (const auto& thread : program) {
        bodies.push_back([&thread, &world, perform] {
          for (const Op& op : thread) {
            perform(op, world);
          }
        });
      }
      in_parallel(bodies);
    };
  };
}

}  // namespace overbite::ordering
