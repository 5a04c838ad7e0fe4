// What the C++ programs of scripts/bench/ordering share: the clocks, and the line they print.
// Never called from a body that is explored: there the clock is the model's.
#pragma once

#include <cstdint>
#include <cstdio>
#include <ctime>

namespace overbite_bench {

inline double seconds_on(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

// Seconds since it was made.
class Stopwatch {
 public:
  // Processor time of this process.
  double cpu_s() const { return seconds_on(CLOCK_PROCESS_CPUTIME_ID) - cpu_; }
  double wall_s() const { return seconds_on(CLOCK_MONOTONIC) - wall_; }

 private:
  double wall_ = seconds_on(CLOCK_MONOTONIC);
  double cpu_ = seconds_on(CLOCK_PROCESS_CPUTIME_ID);
};

struct Found {
  bool complete = false;
  std::uint64_t executions = 0;
  std::uint64_t cut = 0;  // runs that came to nothing new
};

inline void print_line(const Found& found, double cpu_s, double wall_s, double rate) {
  std::printf(
      "{\"complete\": %s, \"executions\": %llu, \"cut\": %llu, \"cpu_s\": %.9f, "
      "\"wall_s\": %.9f, \"rate_per_s\": %.1f}\n",
      found.complete ? "true" : "false",
      static_cast<unsigned long long>(found.executions),
      static_cast<unsigned long long>(found.cut),
      cpu_s,
      wall_s,
      rate);
  std::fflush(stdout);
}

// `cold` explores once, everything it needs made anew; `again` explores the same once more.
template <typename Cold, typename Again>
void measure(double steady_s, const Cold& cold, const Again& again) {
  const Stopwatch first;
  const Found found = cold();
  const double cpu_s = first.cpu_s();
  const double wall_s = first.wall_s();
  std::uint64_t executions = found.executions;
  double spent_s = cpu_s;
  if (found.complete && cpu_s < steady_s) {
    // Looking at the clock is a system call, and some explorations take no longer: not after each.
    const Stopwatch steady;
    std::uint64_t batch = 1;
    executions = 0;
    spent_s = 0;
    do {
      batch *= spent_s < steady_s / 8 ? 2 : 1;
      for (std::uint64_t i = 0; i < batch; ++i) {
        executions += again().executions;
      }
      spent_s = steady.cpu_s();
    } while (spent_s < steady_s);
  }
  print_line(found, cpu_s, wall_s, static_cast<double>(executions) / spent_s);
}

}  // namespace overbite_bench
