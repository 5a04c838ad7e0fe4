// The awaitable behind receive() and send(): a coroutine in all but type, so that it can be
// awaited, made a task of and cancelled; nothing is taken from the exchange before it is resumed,
// so a cancelled receive() loses nothing.
#include <algorithm>
#include <utility>

#include "server/python/coroutine.h"
#include "server/python/cycle.h"
#include "server/python/interpreter.h"

namespace overbite::python {

namespace {

struct Operation {
  PyObject_HEAD PyObject* cycle;
  PyObject* message;  // null: receive()
  PyObject* future;   // while waiting
  PyObject* waiter;   // its iterator
  bool finished;
};

PyTypeObject* operation_type = nullptr;

Operation* as_operation(PyObject* self) { return reinterpret_cast<Operation*>(self); }

std::deque<Owned>& waiters_of(Operation* self) {
  Exchange& exchange = exchange_of(Borrowed(self->cycle));
  return self->message == nullptr ? exchange.receive_waiters() : exchange.send_waiters();
}

void stop_waiting(Operation* self) {
  if (self->future != nullptr) {
    auto& waiters = waiters_of(self);
    const auto place = std::find_if(waiters.begin(), waiters.end(), [self](const Owned& future) {
      return future.get() == self->future;
    });
    if (place != waiters.end()) {
      waiters.erase(place);
    }
  }
  Py_CLEAR(self->waiter);
  Py_CLEAR(self->future);
}

// Makes the future and its iterator. False with an exception set.
bool wait(Operation* self) {
  Owned future = exchange_of(Borrowed(self->cycle)).host().new_future();
  if (!future) {
    return false;
  }
  Owned waiter = Owned::steal(PyObject_CallMethod(future.get(), "__await__", nullptr));
  if (!waiter) {
    return false;
  }
  waiters_of(self).push_back(Owned::share(future.borrow()));
  self->future = future.release();
  self->waiter = waiter.release();
  return true;
}

PySendResult attempt(Operation* self, PyObject** result) {
  Exchange& exchange = exchange_of(Borrowed(self->cycle));
  Owned value;
  const Exchange::Outcome outcome = self->message == nullptr
                                        ? exchange.try_receive(value)
                                        : exchange.try_send(Borrowed(self->message));
  switch (outcome) {
    case Exchange::Outcome::kReady:
      self->finished = true;
      *result = value ? value.release() : Py_NewRef(Py_None);
      return PYGEN_RETURN;
    case Exchange::Outcome::kError:
      self->finished = true;
      return PYGEN_ERROR;
    case Exchange::Outcome::kWait:
      return PYGEN_NEXT;
  }
  return PYGEN_ERROR;
}

PySendResult step(PyObject* object, PyObject* argument, PyObject** result) {
  Operation* const self = as_operation(object);
  *result = nullptr;
  if (self->finished) {
    PyErr_SetString(PyExc_RuntimeError, "cannot reuse already awaited receive() or send()");
    return PYGEN_ERROR;
  }
  while (true) {
    if (self->waiter != nullptr) {
      const PySendResult waited = PyIter_Send(self->waiter, argument, result);
      if (waited == PYGEN_NEXT) {
        return waited;
      }
      stop_waiting(self);
      if (waited == PYGEN_ERROR) {
        self->finished = true;
        return waited;
      }
      Py_CLEAR(*result);
    }
    const PySendResult tried = attempt(self, result);
    if (tried != PYGEN_NEXT) {
      return tried;
    }
    if (!wait(self)) {
      self->finished = true;
      return PYGEN_ERROR;
    }
    argument = Py_None;
  }
}

PyObject* throw_into(PyObject* object, PyObject* arguments) {
  Operation* const self = as_operation(object);
  if (self->waiter == nullptr) {
    self->finished = true;
    raise_thrown(arguments);
    return nullptr;
  }
  const Owned method = Owned::steal(PyObject_GetAttrString(self->waiter, "throw"));
  PyObject* const yielded = method ? PyObject_CallObject(method.get(), arguments) : nullptr;
  if (yielded == nullptr) {
    stop_waiting(self);
    self->finished = true;
  }
  return yielded;
}

PyObject* close(PyObject* object, PyObject*) {
  stop_waiting(as_operation(object));
  as_operation(object)->finished = true;
  Py_RETURN_NONE;
}

int traverse(PyObject* object, visitproc visit, void* arg) {
  Operation* const self = as_operation(object);
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self->cycle);
  Py_VISIT(self->message);
  Py_VISIT(self->future);
  Py_VISIT(self->waiter);
  return 0;
}

int clear(PyObject* object) {
  Operation* const self = as_operation(object);
  if (self->cycle != nullptr) {
    stop_waiting(self);
  }
  Py_CLEAR(self->message);
  Py_CLEAR(self->cycle);
  return 0;
}

constexpr CoroutineBehaviour kBehaviour = {.name = "overbite.operation",
                                           .size = sizeof(Operation),
                                           .step = step,
                                           .throw_into = throw_into,
                                           .close = close,
                                           .traverse = traverse,
                                           .clear = clear,
                                           .destroy = nullptr};

}  // namespace

base::Result<> register_operation_type() {
  operation_type = make_coroutine_type<kBehaviour>();
  if (operation_type == nullptr) {
    return base::Error{"cannot make the operation type: " + take_exception_line()};
  }
  return base::Ok{};
}

Owned new_operation(Borrowed cycle, Borrowed message) {
  Operation* const self = PyObject_GC_New(Operation, operation_type);
  if (self == nullptr) {
    return Owned();
  }
  self->cycle = Py_NewRef(cycle.get());
  self->message = Py_XNewRef(message.get());
  self->future = nullptr;
  self->waiter = nullptr;
  self->finished = false;
  PyObject_GC_Track(reinterpret_cast<PyObject*>(self));
  return Owned::steal(reinterpret_cast<PyObject*>(self));
}

}  // namespace overbite::python
