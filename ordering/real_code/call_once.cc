// expect: SC 3, RC11 3
// subject: std::call_once
// package: libstdc++-12-dev
// promise: one call, and everyone behind it sees what it did
#include <cassert>
#include <mutex>
#include <thread>

int main() {
  std::once_flag flag;
  int made = 0;
  const auto use = [&] {
    std::call_once(flag, [&made] { ++made; });
    assert(made == 1);
  };
  std::thread first(use);
  std::thread second(use);
  use();
  first.join();
  second.join();
}
