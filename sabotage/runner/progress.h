// What a person at a terminal sees while the run goes on; silent when stderr is a file.
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

namespace overbite::sabotage {

// Thread-safe.
class Progress {
 public:
  explicit Progress(bool enabled) : enabled_(enabled) {}
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { clear(); }

  void begin(std::string_view step, std::size_t total);
  void advance(std::string_view item);
  // Takes the line off the screen, so that a result can be printed.
  void clear();

 private:
  std::mutex mutex_;
  bool enabled_;
  bool shown_ = false;
  std::string step_;
  std::size_t done_ = 0;
  std::size_t total_ = 0;
};

// Calls work(0) .. work(count - 1) on at most `jobs` threads. When a call throws, no further ones
// start, and the first exception comes out here.
void parallel_for(std::size_t count, int jobs, const std::function<void(std::size_t)>& work);

}  // namespace overbite::sabotage
