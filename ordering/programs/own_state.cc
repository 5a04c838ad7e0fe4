// expect: SC 32, RC11 32
// Everything that a program keeps is new in each execution: globals, function-local statics,
// thread-local variables and their destructors, what it allocates, and exceptions in flight.
#include <atomic>
#include <cassert>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

struct Made {
  Made() { ++count; }
  static inline int count = 0;
  int value = 7;
};

struct Leaving {
  ~Leaving() { count.fetch_add(1); }
  static inline std::atomic<int> count{0};
};

std::atomic<int> turns{0};
std::mutex mutex;
std::vector<int> seen;
thread_local int mine = 5;

Made& shared_one() {
  static Made made;
  return made;
}

void work(int number) {
  thread_local const Leaving leaving;
  static_cast<void>(&leaving);
  assert(mine == 5);
  mine += number;
  assert(shared_one().value == 7);
  turns.fetch_add(1);
  const std::lock_guard lock(mutex);
  seen.push_back(mine);
  try {
    throw std::to_string(number);
  } catch (const std::string& text) {
    assert(text.size() == 1);
  }
}

}  // namespace

int main() {
  assert(seen.empty() && turns.load() == 0 && Made::count == 0 && mine == 5);
  std::thread first(work, 1);
  std::thread second(work, 2);
  first.join();
  second.join();
  assert(mine == 5 && seen.size() == 2 && seen[0] + seen[1] == 13);
  assert(Made::count == 1 && turns == 2 && Leaving::count == 2);
  auto* const block = static_cast<char*>(std::calloc(10, 1));
  auto* const larger = static_cast<char*>(std::realloc(block, 100));
  assert(larger[9] == 0);
  std::free(larger);
}
