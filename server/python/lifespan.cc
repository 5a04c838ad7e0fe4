#include "server/python/lifespan.h"

#include <string>

#include "server/base/log.h"
#include "server/python/interpreter.h"

namespace overbite::python {

namespace {

constexpr char kCapsule[] = "overbite.lifespan";

Lifespan* from_capsule(PyObject* self) {
  return static_cast<Lifespan*>(PyCapsule_GetPointer(self, kCapsule));
}

}  // namespace

Lifespan::Lifespan(Borrowed loop, Borrowed application, LifespanMode mode)
    : mode_(mode), loop_(Owned::share(loop)), application_(Owned::share(application)) {
  state_ = Owned::steal(PyDict_New());
}

Lifespan::~Lifespan() = default;

bool Lifespan::create() {
  static PyMethodDef send_def = {"send", &Lifespan::send, METH_O, nullptr};
  static PyMethodDef done_def = {"lifespan_ended", &Lifespan::task_done, METH_O, nullptr};
  self_ = Owned::steal(PyCapsule_New(this, kCapsule, nullptr));
  const Owned asyncio = Owned::steal(PyImport_ImportModule("asyncio"));
  if (!state_ || !self_ || !asyncio) {
    return false;
  }
  queue_ = Owned::steal(PyObject_CallMethod(asyncio.get(), "Queue", nullptr));
  const Owned receive =
      queue_ ? Owned::steal(PyObject_GetAttrString(queue_.get(), "get")) : Owned();
  const Owned send_method = Owned::steal(PyCFunction_New(&send_def, self_.get()));
  const Owned done_method = Owned::steal(PyCFunction_New(&done_def, self_.get()));
  const Owned scope = Owned::steal(Py_BuildValue("{ss,s{ss,ss},sO}",
                                                 "type",
                                                 "lifespan",
                                                 "asgi",
                                                 "version",
                                                 "3.0",
                                                 "spec_version",
                                                 "2.0",
                                                 "state",
                                                 state_.get()));
  if (!receive || !send_method || !done_method || !scope) {
    return false;
  }
  const Owned awaitable = Owned::steal(PyObject_CallFunctionObjArgs(
      application_.get(), scope.get(), receive.get(), send_method.get(), nullptr));
  if (!awaitable) {
    return false;
  }
  task_ = Owned::steal(PyObject_CallMethod(loop_.get(), "create_task", "O", awaitable.get()));
  return task_ && Owned::steal(PyObject_CallMethod(
                      task_.get(), "add_done_callback", "O", done_method.get()));
}

// send(message): answers with a future that is already done, so that awaiting it does not suspend.
PyObject* Lifespan::send(PyObject* self, PyObject* message) {
  Lifespan* const lifespan = from_capsule(self);
  if (lifespan == nullptr || !lifespan->take(Borrowed(message))) {
    return nullptr;
  }
  Owned future = Owned::steal(PyObject_CallMethod(lifespan->loop_.get(), "create_future", nullptr));
  if (!future || !Owned::steal(PyObject_CallMethod(future.get(), "set_result", "O", Py_None))) {
    return nullptr;
  }
  return future.release();
}

bool Lifespan::take(Borrowed message) {
  const Owned type = Owned::steal(PyMapping_GetItemString(message.get(), "type"));
  const char* const name = type ? PyUnicode_AsUTF8(type.get()) : nullptr;
  if (name == nullptr) {
    return false;
  }
  const std::string given = name;
  if (given == std::string(phase_) + ".complete") {
    answer_ = Answer::kComplete;
  } else if (given == std::string(phase_) + ".failed") {
    answer_ = Answer::kFailed;
    const Owned text = Owned::steal(PyMapping_GetItemString(message.get(), "message"));
    const char* const reason = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
    if (reason != nullptr && *reason != '\0') {
      log_line(base::Level::kError, reason);
    }
    PyErr_Clear();  // the message is optional
  } else {
    PyErr_Format(PyExc_RuntimeError, "Unexpected lifespan message '%s' in %s.", name, phase_);
    return false;
  }
  resolve();
  return true;
}

PyObject* Lifespan::task_done(PyObject* self, PyObject*) {
  Lifespan* const lifespan = from_capsule(self);
  if (lifespan == nullptr) {
    return nullptr;
  }
  lifespan->resolve();
  Py_RETURN_NONE;
}

void Lifespan::resolve() {
  if (!waiter_) {
    return;
  }
  const Owned waiter = std::move(waiter_);
  if (!Owned::steal(PyObject_CallMethod(waiter.get(), "set_result", "O", Py_None))) {
    log_exception("Exception in the lifespan's answer");
  }
}

bool Lifespan::run_phase(const char* event) {
  phase_ = event;
  answer_ = Answer::kNone;
  const Owned done = Owned::steal(PyObject_CallMethod(task_.get(), "done", nullptr));
  if (!done || done.get() == Py_True) {
    return static_cast<bool>(done);
  }
  const Owned message = Owned::steal(Py_BuildValue("{ss}", "type", event));
  if (!message ||
      !Owned::steal(PyObject_CallMethod(queue_.get(), "put_nowait", "O", message.get()))) {
    return false;
  }
  waiter_ = Owned::steal(PyObject_CallMethod(loop_.get(), "create_future", nullptr));
  if (!waiter_) {
    return false;
  }
  const Owned waiter = Owned::share(waiter_.borrow());
  return static_cast<bool>(
      Owned::steal(PyObject_CallMethod(loop_.get(), "run_until_complete", "O", waiter.get())));
}

// Whether the phase ended by an exception (which is logged then): the pending one, or the one of
// the application's task. An application that has simply returned has nothing against going on.
bool Lifespan::log_failed(const char* what) {
  if (PyErr_Occurred() == nullptr &&
      Owned::steal(PyObject_CallMethod(task_.get(), "result", nullptr))) {
    return false;
  }
  log_exception(what);
  return true;
}

bool Lifespan::startup() {
  if (mode_ == LifespanMode::kOff) {
    return true;
  }
  log_line(base::Level::kInfo, "Waiting for application startup.");
  const bool ran = create() && run_phase("lifespan.startup");
  supported_ = answer_ != Answer::kFailed &&
               ((ran && answer_ == Answer::kComplete) ||
                !log_failed("Exception in 'lifespan' protocol during startup"));
  if (answer_ == Answer::kFailed || (!supported_ && mode_ == LifespanMode::kOn)) {
    log_line(base::Level::kError, "Application startup failed. Exiting.");
    return false;
  }
  if (!supported_) {
    log_line(base::Level::kInfo, "ASGI 'lifespan' protocol appears unsupported.");
  }
  log_line(base::Level::kInfo, "Application startup complete.");
  return true;
}

bool Lifespan::shutdown() {
  if (!supported_) {
    return true;
  }
  log_line(base::Level::kInfo, "Waiting for application shutdown.");
  const bool ran = run_phase("lifespan.shutdown");
  if (answer_ == Answer::kFailed ||
      ((!ran || answer_ == Answer::kNone) &&
       log_failed("Exception in 'lifespan' protocol during shutdown"))) {
    log_line(base::Level::kError, "Application shutdown failed. Exiting.");
    return false;
  }
  log_line(base::Level::kInfo, "Application shutdown complete.");
  return true;
}

}  // namespace overbite::python
