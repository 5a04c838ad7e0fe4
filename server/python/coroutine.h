// What our coroutine-like types share. Attached, always.
#pragma once

#include <Python.h>

namespace overbite::python {

// Makes a heap type and registers it with collections.abc.Coroutine, so that asyncio takes its
// instances for coroutines. Null with an exception set.
PyTypeObject* make_coroutine_type(PyType_Spec* spec);

// tp_iternext's convention: the yielded value, or null with StopIteration(value) set unless None.
PyObject* send_result_as_next(PySendResult outcome, PyObject* result);
// A method's convention: null always with an exception set.
PyObject* send_result_as_method(PySendResult outcome, PyObject* result);

// Sets the exception that throw(type[, value[, traceback]]) was called with.
void raise_thrown(PyObject* arguments);

}  // namespace overbite::python
