// The ASGI lifespan protocol: startup before the first request,
// shutdown behind the last, and the state both share with every request.
#pragma once

#include "server/python/refs.h"

namespace overbite::python {

// What becomes of an application that raises before its startup is complete: kAuto serves it
// without a lifespan, kOn does not start. kOff: no application is asked.
enum class LifespanMode { kAuto, kOn, kOff };

// Executor thread, attached, outside a running event loop.
class Lifespan {
 public:
  // `loop`: the event loop, kept.
  Lifespan(Borrowed loop, Borrowed application, LifespanMode mode);
  ~Lifespan();
  Lifespan(const Lifespan&) = delete;
  Lifespan& operator=(const Lifespan&) = delete;

  // Runs the loop until the application has answered. False: the server must not start; why was
  // logged.
  bool startup();
  // Runs the loop until the application has answered. False: it failed, which was logged.
  bool shutdown();
  // What the application put into scope["state"]: each request gets a shallow copy.
  Borrowed state() const { return state_.borrow(); }

 private:
  enum class Answer { kNone, kComplete, kFailed };
  static PyObject* send(PyObject* self, PyObject* message);
  static PyObject* task_done(PyObject* self, PyObject* task);
  bool create();
  // Sends `event` and runs the loop until an answer, or the application's end.
  bool run_phase(const char* event);
  void resolve();
  bool take(Borrowed message);
  bool log_failed(const char* what);

  const LifespanMode mode_;
  Owned loop_;
  Owned application_;
  Owned state_;
  Owned queue_;
  Owned task_;
  Owned waiter_;
  Owned self_;  // capsule for the callbacks
  const char* phase_ = "lifespan.startup";
  Answer answer_ = Answer::kNone;
  bool supported_ = false;  // startup is complete, and shutdown will be asked for
};

}  // namespace overbite::python
