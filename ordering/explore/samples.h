// Schedules drawn at random, for what is too big to be explored: no proof, but a chance that can be
// told.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "ordering/explore/schedules.h"

namespace overbite::ordering {

// At every point each thing that can happen is as likely as any other.
class RandomWalk final : public Schedules {
 public:
  RandomWalk(Machine& machine, std::uint64_t runs, std::uint64_t seed)
      : Schedules(machine), left_(runs), random_(seed) {}

  void begin_again() override { ++left_; }

 protected:
  bool begin_schedule() override;
  // A run that is started again draws the same.
  void start_schedule() override { random_ = before_; }
  std::size_t choose(const std::vector<Option>& options, std::size_t stay) override;

 private:
  std::uint64_t left_;
  std::mt19937_64 random_;
  std::mt19937_64 before_;  // the state at the start of the run
};

// Probabilistic concurrency testing (Burckhardt, Kothari, Musuvathi and Nagarakatte, ASPLOS 2010):
// the threads get priorities at random, the highest runs, and at depth - 1 random points the one
// that runs drops below all others. A failure that needs `depth` orders between events is found by
// one run with a chance of at least 1 / (threads * steps ^ (depth - 1)).
class Pct final : public Schedules {
 public:
  Pct(Machine& machine, int depth, std::uint64_t runs, std::uint64_t seed)
      : Schedules(machine), depth_(depth), left_(runs), random_(seed) {}

  // Of one run; 0 before the first.
  double chance() const;
  int depth() const { return depth_; }

  void begin_again() override { ++left_; }

 protected:
  bool begin_schedule() override;
  void start_schedule() override;
  std::size_t choose(const std::vector<Option>& options, std::size_t stay) override;

 private:
  const int depth_;
  std::uint64_t left_;
  std::mt19937_64 random_;
  std::mt19937_64 before_;
  std::vector<int> priorities_;     // by thread, higher goes first
  std::vector<int> change_points_;  // decisions at which the running thread drops
  int lowest_ = 0;
  int threads_seen_ = 1;
  int steps_seen_ = 1;
};

}  // namespace overbite::ordering
