#include "ordering/explore/samples.h"

#include <algorithm>
#include <cmath>

namespace overbite::ordering {

bool RandomWalk::begin_schedule() {
  before_ = random_;
  return left_-- > 0;
}

std::size_t RandomWalk::choose(const std::vector<Option>& options, std::size_t /*stay*/) {
  return static_cast<std::size_t>(random_() % options.size());
}

bool Pct::begin_schedule() {
  before_ = random_;
  return left_-- > 0;
}

void Pct::start_schedule() {
  random_ = before_;
  priorities_.clear();
  change_points_.clear();
  for (int i = 1; i < depth_; ++i) {
    change_points_.push_back(static_cast<int>(random_() % static_cast<unsigned>(steps_seen_)));
  }
  lowest_ = 0;
}

std::size_t Pct::choose(const std::vector<Option>& options, std::size_t stay) {
  for (const Option& option : options) {
    const auto thread = static_cast<std::size_t>(option.thread);
    while (priorities_.size() <= thread) {
      priorities_.push_back(1 + static_cast<int>(random_() % 1'000'000));
    }
  }
  threads_seen_ = std::max(threads_seen_, static_cast<int>(priorities_.size()));
  steps_seen_ = std::max(steps_seen_, decisions() + 1);
  if (stay != 0 && std::find(change_points_.begin(), change_points_.end(), decisions()) !=
                       change_points_.end()) {
    priorities_[static_cast<std::size_t>(options[0].thread)] = --lowest_;
  }
  const auto highest =
      std::max_element(options.begin(), options.end(), [this](const Option& a, const Option& b) {
        return priorities_[static_cast<std::size_t>(a.thread)] <
               priorities_[static_cast<std::size_t>(b.thread)];
      });
  // Among the ways in which one operation can turn out, each is as likely.
  const auto ways = std::count_if(options.begin(), options.end(), [&](const Option& option) {
    return option.thread == highest->thread;
  });
  const auto way = static_cast<std::ptrdiff_t>(random_() % static_cast<std::uint64_t>(ways));
  return static_cast<std::size_t>(highest - options.begin() + way);
}

double Pct::chance() const { return 1.0 / (threads_seen_ * std::pow(steps_seen_, depth_ - 1)); }

}  // namespace overbite::ordering
