// Everything in which CPython 3.11, 3.12 and 3.13 differ for us. Attached, always.
#pragma once

#include <Python.h>

#include "server/python/refs.h"

namespace overbite::python {

static_assert(PY_VERSION_HEX >= 0x030B0000, "Overbite embeds CPython 3.11 or later");

// Takes the pending exception, traceback attached, and leaves none pending. Null when there was
// none.
inline Owned take_exception() {
#if PY_VERSION_HEX >= 0x030C0000
  return Owned::steal(PyErr_GetRaisedException());
#else
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  if (type == nullptr) {
    return Owned();
  }
  PyErr_NormalizeException(&type, &value, &traceback);
  const Owned owned_type = Owned::steal(type);
  Owned exception = Owned::steal(value);
  const Owned owned_traceback = Owned::steal(traceback);
  if (exception && owned_traceback) {
    PyException_SetTraceback(exception.get(), owned_traceback.get());
  }
  return exception;
#endif
}

// Makes `exception` (an instance) the pending one, with the traceback it carries.
inline void raise_exception(Owned exception) {
#if PY_VERSION_HEX >= 0x030C0000
  PyErr_SetRaisedException(exception.release());
#else
  PyObject* const type = Py_NewRef(reinterpret_cast<PyObject*>(Py_TYPE(exception.get())));
  PyObject* const traceback = PyException_GetTraceback(exception.get());
  PyErr_Restore(type, exception.release(), traceback);
#endif
}

// object.name. Null without an exception when there is no such attribute, with one when the look-up
// failed otherwise.
inline Owned attribute_or_null(Borrowed object, const char* name) {
#if PY_VERSION_HEX >= 0x030D0000
  PyObject* value = nullptr;
  // -1: value is null and the exception set.
  static_cast<void>(PyObject_GetOptionalAttrString(object.get(), name, &value));
  return Owned::steal(value);
#else
  Owned value = Owned::steal(PyObject_GetAttrString(object.get(), name));
  if (!value && PyErr_ExceptionMatches(PyExc_AttributeError) != 0) {
    PyErr_Clear();
  }
  return value;
#endif
}

// Before 3.12 a str may come without its canonical form (PEP 623). False with an exception set.
inline bool make_str_ready([[maybe_unused]] Borrowed text) {
#if PY_VERSION_HEX >= 0x030C0000
  return true;
#else
  return PyUnicode_READY(text.get()) == 0;
#endif
}

// The minor version this was built for; libpython's soname holds the one that is loaded to it.
inline constexpr int kPythonMajor = PY_MAJOR_VERSION;
inline constexpr int kPythonMinor = PY_MINOR_VERSION;

}  // namespace overbite::python
