// expect: SC 14, RC11 14
// subject: std::shared_mutex
// package: libstdc++-12-dev
// promise: a reader never sees half of what a writer does
#include <cassert>
#include <mutex>
#include <shared_mutex>
#include <thread>

int main() {
  std::shared_mutex mutex;
  int left = 0;
  int right = 0;
  const auto read = [&] {
    const std::shared_lock lock(mutex);
    assert(left == right);
  };
  std::thread reader(read);
  std::thread writer([&] {
    const std::unique_lock lock(mutex);
    ++left;
    ++right;
  });
  read();
  reader.join();
  writer.join();
  assert(left == 1 && right == 1);
}
