// expect: SC 728, RC11 1376
// subject: std::condition_variable_any with std::stop_token
// package: libstdc++-12-dev
// promise: a stop wakes who waits
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

int main() {
  std::mutex mutex;
  std::condition_variable_any changed;
  bool ready = false;
  std::stop_source source;
  std::thread stopper([&source] { source.request_stop(); });
  {
    std::unique_lock lock(mutex);
    const bool found = changed.wait(lock, source.get_token(), [&ready] { return ready; });
    assert(!found);
  }
  stopper.join();
}
