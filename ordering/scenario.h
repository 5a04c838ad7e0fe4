// How a scenario is written.
//
//   OVERBITE_SCENARIO(push_vs_close, "an item that was taken in is never lost") {
//     Queue queue;
//     std::thread producer([&] { queue.push(1); });
//     ...
//     producer.join();
//     require(queue.empty(), "item left behind");
//   }
//
// The body is run from scratch for every execution. It may use whatever ordering/runtime models:
// std::thread, std::mutex, std::condition_variable, std::atomic, and the production classes. It
// must do the same thing every time it meets the same order: no clock, no random numbers, no
// mutable globals. A body that is left in the middle (an execution is cut or fails) is not unwound.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace overbite::ordering {

struct Scenario {
  const char* name;
  const char* promise;  // what holds in every order, as a sentence
  std::function<void()> body;
};

// Sorted by name. Filled by static initialisation, constant after it.
const std::vector<Scenario>& scenarios();

struct Registration {
  Registration(const char* name, const char* promise, void (*body)());
};

// Only from a body, or from a thread it started.

// A false condition fails the scenario with `message`.
void require(bool condition, const char* message);
// A false condition makes this execution count for nothing: the thread stops here for ever. For
// loops that wait: one turn, then assume(what it waits for).
void assume(bool condition);
namespace detail {
int operations_done();
bool wait_for_change_since(int done);
}  // namespace detail
// Returns once `condition()` holds. The condition only loads atomics; it is looked at again when
// one of them has changed, so waiting costs no executions, and waiting for ever is a deadlock.
template <typename Condition>
void await(Condition condition) {
  while (true) {
    const int before = detail::operations_done();
    if (condition()) {
      return;
    }
    detail::wait_for_change_since(before);
  }
}
// One of 0 ... ways - 1: every one is explored.
int choose(int ways);
// Calls a program's main() with all of its variables as they were when it was loaded: see
// runtime/process_image.h. Fails unless it returns 0.
void run_program(int (*entry)(int, char**, char**), int argc, char** argv, char** environment);
// How timelines call the calling thread.
void name_thread(const char* name);
void name_range(const void* address, std::size_t bytes, const char* name);
// How timelines call `object` and what lies in it (by offset). Valid for this execution.
template <typename T>
void name(const T& object, const char* as) {
  name_range(&object, sizeof object, as);
}
// How timelines show a datagram, instead of by number. `words` must not touch the model.
void name_datagrams(std::string (*words)(const void* bytes, std::size_t size));

}  // namespace overbite::ordering

#define OVERBITE_SCENARIO(identifier, promise)                               \
  static void identifier();                                                  \
  static const ::overbite::ordering::Registration identifier##_registration( \
      #identifier, promise, &identifier);                                    \
  static void identifier()
