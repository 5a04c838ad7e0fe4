// The cycle object: what the request's asyncio Task runs. It calls the application, passes the
// application's awaits through, and turns its end into the end of the response.
#include "server/python/cycle.h"

#include <new>
#include <utility>

#include "server/python/coroutine.h"
#include "server/python/interpreter.h"

namespace overbite::python {

namespace {

struct Cycle {
  PyObject_HEAD std::unique_ptr<Exchange> exchange;
  PyObject* application;  // until the first step
  PyObject* scope;        // until the first step
  PyObject* inner;        // the application's coroutine, while it runs
  bool running;           // inside a step
  bool ended;
};

PyTypeObject* cycle_type = nullptr;

Cycle* as_cycle(PyObject* self) { return reinterpret_cast<Cycle*>(self); }

PyObject* receive(PyObject* self, PyObject*) {
  return new_operation(Borrowed(self), Borrowed()).release();
}
PyObject* send_message(PyObject* self, PyObject* message) {
  return new_operation(Borrowed(self), Borrowed(message)).release();
}

PyMethodDef receive_def = {"receive", receive, METH_NOARGS, nullptr};
PyMethodDef send_def = {"send", send_message, METH_O, nullptr};

// The iterator behind what the application returned, as `await` would take it.
Owned awaited(Owned result) {
  if (!result || PyCoro_CheckExact(result.get())) {
    return result;
  }
  const auto* const async = Py_TYPE(result.get())->tp_as_async;
  if (async != nullptr && async->am_await != nullptr) {
    return Owned::steal(async->am_await(result.get()));
  }
  PyErr_Format(PyExc_TypeError,
               "object %.100s can't be used in 'await' expression",
               Py_TYPE(result.get())->tp_name);
  return Owned();
}

bool call_application(PyObject* object) {
  Cycle* const self = as_cycle(object);
  const Owned application = Owned::steal(std::exchange(self->application, nullptr));
  const Owned scope = Owned::steal(std::exchange(self->scope, nullptr));
  const Owned receive_method = Owned::steal(PyCFunction_New(&receive_def, object));
  const Owned send_method = Owned::steal(PyCFunction_New(&send_def, object));
  if (!receive_method || !send_method) {
    return false;
  }
  PyObject* arguments[] = {scope.get(), receive_method.get(), send_method.get()};
  self->inner = awaited(Owned::steal(PyObject_Vectorcall(application.get(), arguments, 3, nullptr)))
                    .release();
  return self->inner != nullptr;
}

// The application is over: with a result, or with the pending exception.
void end(Cycle* self, Borrowed result) {
  self->ended = true;
  const Owned keep = Owned::share(reinterpret_cast<PyObject*>(self));
  if (result) {
    self->exchange->returned(result);
  } else {
    self->exchange->failed();
  }
  Py_CLEAR(self->inner);
}

// As a coroutine: the application may get at the cycle by its task, and step it from the inside,
// which must not end it. False with an exception set.
bool may_run(const Cycle* self) {
  if (self->running) {  // guard: cycle-steps-itself
    PyErr_SetString(PyExc_ValueError, "coroutine already executing");
    return false;
  }
  return true;
}

PySendResult run(PyObject* object, PyObject* argument, PyObject** result) {
  Cycle* const self = as_cycle(object);
  if (self->inner == nullptr && !call_application(object)) {
    return PYGEN_ERROR;
  }
  return PyIter_Send(self->inner, argument, result);
}

PySendResult step(PyObject* object, PyObject* argument, PyObject** result) {
  Cycle* const self = as_cycle(object);
  *result = nullptr;
  if (self->ended) {
    PyErr_SetString(PyExc_RuntimeError, "cannot reuse an ended cycle");
    return PYGEN_ERROR;
  }
  if (!may_run(self)) {
    return PYGEN_ERROR;
  }
  self->running = true;
  const PySendResult outcome = run(object, argument, result);
  self->running = false;
  if (outcome == PYGEN_NEXT) {
    return outcome;
  }
  const Owned value = Owned::steal(std::exchange(*result, nullptr));
  end(self, outcome == PYGEN_RETURN ? value.borrow() : Borrowed());
  *result = Py_NewRef(Py_None);
  return PYGEN_RETURN;
}

PyObject* throw_into(PyObject* object, PyObject* arguments) {
  Cycle* const self = as_cycle(object);
  if (!may_run(self)) {
    return nullptr;
  }
  if (self->inner == nullptr) {
    raise_thrown(arguments);
    if (self->ended) {
      return nullptr;
    }
    end(self, Borrowed());
  } else {
    const Owned method = Owned::steal(PyObject_GetAttrString(self->inner, "throw"));
    self->running = true;
    PyObject* const yielded = method ? PyObject_CallObject(method.get(), arguments) : nullptr;
    self->running = false;
    if (yielded != nullptr) {
      return yielded;
    }
    const Owned value = take_stop_iteration();
    end(self, value.borrow());
  }
  return send_result_as_method(PYGEN_RETURN, Py_NewRef(Py_None));
}

PyObject* close(PyObject* object, PyObject*) {
  Cycle* const self = as_cycle(object);
  return self->inner != nullptr ? PyObject_CallMethod(self->inner, "close", nullptr)
                                : Py_NewRef(Py_None);
}

int traverse(PyObject* object, visitproc visit, void* arg) {
  Cycle* const self = as_cycle(object);
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self->application);
  Py_VISIT(self->scope);
  Py_VISIT(self->inner);
  for (const Owned& future : self->exchange->receive_waiters()) {
    Py_VISIT(future.get());
  }
  for (const Owned& future : self->exchange->send_waiters()) {
    Py_VISIT(future.get());
  }
  return 0;
}

int clear(PyObject* object) {
  Cycle* const self = as_cycle(object);
  Py_CLEAR(self->application);
  Py_CLEAR(self->scope);
  Py_CLEAR(self->inner);
  return 0;
}

void destroy(PyObject* object) { as_cycle(object)->exchange.~unique_ptr(); }

constexpr CoroutineBehaviour kBehaviour = {.name = "overbite.cycle",
                                           .size = sizeof(Cycle),
                                           .step = step,
                                           .throw_into = throw_into,
                                           .close = close,
                                           .traverse = traverse,
                                           .clear = clear,
                                           .destroy = destroy};

}  // namespace

base::Result<> register_cycle_types() {
  cycle_type = make_coroutine_type<kBehaviour>();
  if (cycle_type == nullptr) {
    return base::Error{"cannot make the cycle type: " + take_exception_line()};
  }
  return register_operation_type();
}

Owned new_cycle(std::unique_ptr<Exchange> exchange, Borrowed application, Owned scope) {
  Cycle* const self = PyObject_GC_New(Cycle, cycle_type);
  if (self == nullptr) {
    return Owned();
  }
  new (&self->exchange) std::unique_ptr<Exchange>(std::move(exchange));
  self->application = Py_NewRef(application.get());
  self->scope = scope.release();
  self->inner = nullptr;
  self->running = false;
  self->ended = false;
  PyObject_GC_Track(reinterpret_cast<PyObject*>(self));
  return Owned::steal(reinterpret_cast<PyObject*>(self));
}

void abandon(Borrowed cycle) {
  if (Cycle* const self = as_cycle(cycle.get()); !self->ended) {
    end(self, Borrowed());
  } else {
    log_exception("Exception behind the end of a request");
  }
}

Exchange& exchange_of(Borrowed cycle) { return *as_cycle(cycle.get())->exchange; }

}  // namespace overbite::python
