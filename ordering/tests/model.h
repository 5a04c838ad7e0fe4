// What the explorer's tests share: small programs, and what exploring them says.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "ordering/explore/explorer.h"
#include "ordering/explore/schedules.h"

namespace overbite::ordering {

using Body = std::function<void()>;

inline Exploration explored(const Body& body,
                            const ExploreLimits& limits = {},
                            Model model = Model::kSc) {
  Machine machine;
  return explore_all(machine, body, model, limits);
}

// Executions of a complete search.
inline std::uint64_t executions(const Body& body, Model model = Model::kSc) {
  const Exploration found = explored(body, {}, model);
  return found.verdict == Verdict::kPass ? found.executions : 0;
}

// Executions that differ, of all schedules there are.
inline std::uint64_t distinct_by_brute_force(const Body& body) {
  Machine machine;
  BruteForce search(machine);
  const Exploration found = explore(machine, body, search, {});
  return found.verdict == Verdict::kPass ? search.distinct() : 0;
}

// Runs one thread for each body and joins them.
inline void in_parallel(const std::vector<Body>& bodies) {
  std::vector<std::thread> threads;
  threads.reserve(bodies.size());
  for (const Body& body : bodies) {
    threads.emplace_back(body);
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

// Shared cells of one execution, all zero.
struct Cells {
  explicit Cells(std::size_t n) : cells(new std::atomic<int>[n]) {
    for (std::size_t i = 0; i < n; ++i) {
      cells[i].store(0, std::memory_order_relaxed);
    }
  }
  std::atomic<int>& operator[](std::size_t i) const { return cells[i]; }
  std::unique_ptr<std::atomic<int>[]> cells;
};

}  // namespace overbite::ordering
