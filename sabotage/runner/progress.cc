#include "sabotage/runner/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <exception>
#include <thread>
#include <vector>

namespace overbite::sabotage {

void Progress::begin(std::string_view step, std::size_t total) {
  {
    const std::lock_guard lock(mutex_);
    step_ = step;
    total_ = total;
    done_ = 0;
  }
  advance("");
}

void Progress::advance(std::string_view item) {
  const std::lock_guard lock(mutex_);
  done_ += item.empty() ? 0 : 1;
  if (!enabled_) {
    return;
  }
  fmt::print(stderr, "\r\x1b[K{} {}/{} {}", step_, done_, total_, item.substr(0, 60));
  std::fflush(stderr);
  shown_ = true;
}

void Progress::clear() {
  const std::lock_guard lock(mutex_);
  if (shown_) {
    fmt::print(stderr, "\r\x1b[K");
    std::fflush(stderr);
    shown_ = false;
  }
}

void parallel_for(std::size_t count, int jobs, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  std::mutex failing;
  std::exception_ptr first;
  const auto worker = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        work(i);
      } catch (...) {
        const std::lock_guard lock(failing);
        first = first ? first : std::current_exception();
        next = count;
        return;
      }
    }
  };
  std::vector<std::jthread> threads;
  const std::size_t wanted = std::min(count, static_cast<std::size_t>(std::max(jobs, 1)));
  for (std::size_t i = 1; i < wanted; ++i) {
    threads.emplace_back(worker);
  }
  worker();
  threads.clear();  // joins
  if (first) {
    std::rethrow_exception(first);
  }
}

}  // namespace overbite::sabotage
