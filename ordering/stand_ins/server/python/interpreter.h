// Stand-in for CPython: a thread is attached while it holds the one lock. Who waits, joins or locks
// while attached keeps it from everybody else, and the explorer finds the deadlock.
#pragma once

#include <mutex>

namespace overbite::python {

// One for each execution; made before the first thread that attaches.
class Interpreter {
 public:
  Interpreter() { current() = this; }
  static Interpreter*& current() {
    static Interpreter* interpreter = nullptr;
    return interpreter;
  }
  std::mutex lock;
};

class Attached {
 public:
  Attached() { Interpreter::current()->lock.lock(); }
  ~Attached() { Interpreter::current()->lock.unlock(); }
  Attached(const Attached&) = delete;
  Attached& operator=(const Attached&) = delete;
};

class Detached {
 public:
  Detached() { Interpreter::current()->lock.unlock(); }
  ~Detached() { Interpreter::current()->lock.lock(); }
  Detached(const Detached&) = delete;
  Detached& operator=(const Detached&) = delete;
};

}  // namespace overbite::python
