// expect: SC 747, RC11 1395
// subject: std::stop_token, std::stop_callback
// package: libstdc++-12-dev
// promise: a callback runs exactly once, or not at all if it was taken back before the stop
#include <atomic>
#include <cassert>
#include <optional>
#include <stop_token>
#include <thread>

int main() {
  std::stop_source source;
  int calls = 0;
  bool stopped = false;
  {
    std::stop_callback callback(source.get_token(), [&calls] { ++calls; });
    std::thread stopper([&] { stopped = source.request_stop(); });
    stopper.join();
  }
  assert(calls == 1 && stopped);

  std::stop_source other;
  std::atomic<int> others{0};
  std::thread stopper([&other] { other.request_stop(); });
  {
    std::stop_callback callback(other.get_token(), [&others] { others.fetch_add(1); });
  }
  const int behind = others.load();
  stopper.join();
  assert(behind <= 1 && others.load() == behind);
}
