// What our coroutine-like types share. Attached, always.
#pragma once

#include <Python.h>

#include "server/python/refs.h"

namespace overbite::python {

// What a coroutine-like type does in its own way; everything else is the same for all of them.
struct CoroutineBehaviour {
  const char* name;  // "overbite.x"
  int size;          // of an instance
  // PyIter_Send's convention.
  PySendResult (*step)(PyObject* self, PyObject* argument, PyObject** result);
  PyCFunction throw_into;  // throw(type[, value[, traceback]])
  PyCFunction close;       // close()
  traverseproc traverse;
  inquiry clear;
  destructor destroy;  // what clear leaves; the object itself is freed behind it
};

// Makes the heap type of `behaviour` (static storage) and registers it with
// collections.abc.Coroutine, so that asyncio takes its instances for coroutines. Instances are made
// with PyObject_GC_New. Null with an exception set.
template <const CoroutineBehaviour& behaviour>
PyTypeObject* make_coroutine_type();

// A method's convention: the yielded value, or null with an exception set.
PyObject* send_result_as_method(PySendResult outcome, PyObject* result);

// The value of the pending StopIteration, which is taken; null when another exception is pending.
Owned take_stop_iteration();

// Sets the exception that throw(type[, value[, traceback]]) was called with.
void raise_thrown(PyObject* arguments);

namespace detail {

PyTypeObject* make_registered_type(PyType_Spec* spec);
// tp_iternext's convention: the yielded value, or null with StopIteration(value) set unless None.
PyObject* result_as_next(PySendResult outcome, PyObject* result);
PyObject* self_again(PyObject* self);
PyObject* await_method(PyObject* self, PyObject*);

template <const CoroutineBehaviour& behaviour>
PyObject* next(PyObject* self) {
  PyObject* result = nullptr;
  const PySendResult outcome = behaviour.step(self, Py_None, &result);
  return result_as_next(outcome, result);
}

template <const CoroutineBehaviour& behaviour>
PyObject* send(PyObject* self, PyObject* argument) {
  PyObject* result = nullptr;
  const PySendResult outcome = behaviour.step(self, argument, &result);
  return send_result_as_method(outcome, result);
}

template <const CoroutineBehaviour& behaviour>
void dealloc(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  behaviour.clear(self);
  if (behaviour.destroy != nullptr) {
    behaviour.destroy(self);
  }
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

}  // namespace detail

template <const CoroutineBehaviour& behaviour>
PyTypeObject* make_coroutine_type() {
  static PyMethodDef methods[] = {{"send", &detail::send<behaviour>, METH_O, nullptr},
                                  {"throw", behaviour.throw_into, METH_VARARGS, nullptr},
                                  {"close", behaviour.close, METH_NOARGS, nullptr},
                                  {"__await__", &detail::await_method, METH_NOARGS, nullptr},
                                  {nullptr, nullptr, 0, nullptr}};
  static PyType_Slot slots[] = {
      {Py_tp_dealloc, reinterpret_cast<void*>(&detail::dealloc<behaviour>)},
      {Py_tp_traverse, reinterpret_cast<void*>(behaviour.traverse)},
      {Py_tp_clear, reinterpret_cast<void*>(behaviour.clear)},
      {Py_tp_iter, reinterpret_cast<void*>(&detail::self_again)},
      {Py_tp_iternext, reinterpret_cast<void*>(&detail::next<behaviour>)},
      {Py_am_await, reinterpret_cast<void*>(&detail::self_again)},
      {Py_am_send, reinterpret_cast<void*>(behaviour.step)},
      {Py_tp_methods, methods},
      {0, nullptr}};
  static PyType_Spec spec = {
      behaviour.name,
      behaviour.size,
      0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
      slots};
  return detail::make_registered_type(&spec);
}

}  // namespace overbite::python
