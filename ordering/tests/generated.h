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

// Threads of operations, and what is said and done about them.
template <typename Op>
struct Generated {
  using Program = std::vector<std::vector<Op>>;
  std::function<Program(std::mt19937&)> generate;
  std::function<Body(const Program&)> body_of;  // the program outlives it
  std::function<std::string(const Op&)> words;
  std::uint64_t schedules_max = 10000;  // programs with more are left out
  int spurious = 0;

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
    const Exploration brute = explore(
        machine, body_of(program), search, {.executions_max = schedules_max, .spurious = spurious});
    if (brute.verdict == Verdict::kIncomplete) {
      return result;
    }
    result.finished = true;
    result.verdict = brute.verdict;
    const Exploration found = explored(body_of(program), {.spurious = spurious});
    const bool same =
        found.verdict == brute.verdict &&
        (brute.verdict == Verdict::kPass ? found.executions == search.distinct()
                                         : found.failed.failure.kind == brute.failed.failure.kind);
    if (!same) {
      result.difference = text_of(program) + ": brute force " + std::to_string(search.distinct()) +
                          " " + brute.reason + ", SC " + std::to_string(found.executions) + " " +
                          found.reason;
    }
    return result;
  }

  // Operations are left out for as long as it still differs.
  std::string smallest_difference(Program program) const {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t t = 0; t < program.size() && !changed; ++t) {
        for (std::size_t i = 0; i < program[t].size() && !changed; ++i) {
          Program smaller = program;
          smaller[t].erase(smaller[t].begin() + static_cast<std::ptrdiff_t>(i));
          if (smaller[t].empty()) {
            smaller.erase(smaller.begin() + static_cast<std::ptrdiff_t>(t));
          }
          if (!smaller.empty() && !compare(smaller).difference.empty()) {
            program = smaller;
            changed = true;
          }
        }
      }
    }
    return compare(program).difference;
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
        ADD_FAILURE() << smallest_difference(program);
      }
    }
    EXPECT_EQ(different, 0) << "of " << programs;
    return verdicts;
  }
};

inline unsigned below(std::mt19937& random, unsigned n) {
  return static_cast<unsigned>(random() % n);
}

// Two threads of up to three operations, or three of up to two.
template <typename Op>
std::vector<std::vector<Op>> small_program(std::mt19937& random,
                                           const std::function<Op(std::mt19937&)>& operation) {
  std::vector<std::vector<Op>> program(2 + below(random, 2));
  const unsigned most = program.size() == 2 ? 3 : 2;
  for (auto& thread : program) {
    thread.resize(1 + below(random, most));
    for (Op& op : thread) {
      op = operation(random);
    }
  }
  return program;
}

}  // namespace overbite::ordering
