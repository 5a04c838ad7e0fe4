#include "server/python/coroutine.h"

#include "server/python/compat.h"
#include "server/python/refs.h"

namespace overbite::python {

namespace detail {

PyObject* self_again(PyObject* self) { return Py_NewRef(self); }
PyObject* await_method(PyObject* self, PyObject*) { return Py_NewRef(self); }

PyTypeObject* make_registered_type(PyType_Spec* spec) {
  Owned type = Owned::steal(PyType_FromSpec(spec));
  if (!type) {
    return nullptr;
  }
  const Owned module = Owned::steal(PyImport_ImportModule("collections.abc"));
  const Owned base =
      module ? Owned::steal(PyObject_GetAttrString(module.get(), "Coroutine")) : Owned();
  const Owned registered =
      base ? Owned::steal(PyObject_CallMethod(base.get(), "register", "O", type.get())) : Owned();
  return registered ? reinterpret_cast<PyTypeObject*>(type.release()) : nullptr;
}

}  // namespace detail

namespace {

// StopIteration(value), as PyErr_SetObject would unpack a tuple or an exception given as value.
void set_stop_iteration(PyObject* value) {
  const Owned stop = Owned::steal(PyObject_CallOneArg(PyExc_StopIteration, value));
  if (stop) {
    PyErr_SetObject(PyExc_StopIteration, stop.get());
  }
}

}  // namespace

PyObject* detail::result_as_next(PySendResult outcome, PyObject* result) {
  if (outcome == PYGEN_RETURN) {
    const Owned value = Owned::steal(result);
    if (value.get() != Py_None) {
      set_stop_iteration(value.get());
    }
    return nullptr;
  }
  return result;
}

Owned take_stop_iteration() {
  if (PyErr_ExceptionMatches(PyExc_StopIteration) == 0) {
    return Owned();
  }
  const Owned exception = take_exception();
  return Owned::steal(PyObject_GetAttrString(exception.get(), "value"));
}

PyObject* send_result_as_method(PySendResult outcome, PyObject* result) {
  if (outcome == PYGEN_RETURN) {
    const Owned value = Owned::steal(result);
    set_stop_iteration(value.get());
    return nullptr;
  }
  return result;
}

void raise_thrown(PyObject* arguments) {
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* traceback = nullptr;
  if (PyArg_ParseTuple(arguments, "O|OO", &type, &value, &traceback) == 0) {
    return;
  }
  if (PyExceptionInstance_Check(type)) {
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(type)), type);
  } else if (value != nullptr && value != Py_None) {
    PyErr_SetObject(type, value);
  } else {
    PyErr_SetNone(type);
  }
}

}  // namespace overbite::python
