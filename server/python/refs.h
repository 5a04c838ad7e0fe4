// Two kinds of reference, two types. An Owned is released exactly once; a Borrowed never is:
// releasing one frees an object that somebody else still holds, and the crash comes elsewhere.
#pragma once

#include <Python.h>

#include <utility>

namespace overbite::python {

// Valid as long as whoever lent it keeps it. Null when default-made.
class Borrowed {
 public:
  Borrowed() = default;
  explicit Borrowed(PyObject* object) : object_(object) {}
  PyObject* get() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_ = nullptr;
};

// Destroy, assign and reset only while attached to the interpreter.
class Owned {
 public:
  Owned() = default;
  Owned(Owned&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Owned& operator=(Owned&& other) noexcept {
    PyObject* old = std::exchange(object_, std::exchange(other.object_, nullptr));
    Py_XDECREF(old);
    return *this;
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() { Py_XDECREF(object_); }

  // Takes over a new reference (what most of the C API returns). Null is allowed.
  static Owned steal(PyObject* object) { return Owned(object); }
  // Makes a reference of its own.
  static Owned share(Borrowed object) {
    Py_XINCREF(object.get());
    return Owned(object.get());
  }
  static Owned share(PyObject* object) { return share(Borrowed(object)); }

  PyObject* get() const { return object_; }
  Borrowed borrow() const { return Borrowed(object_); }
  explicit operator bool() const { return object_ != nullptr; }
  // Hands the reference to the caller, or to an API that steals it.
  [[nodiscard]] PyObject* release() { return std::exchange(object_, nullptr); }
  void reset() { *this = Owned(); }

 private:
  explicit Owned(PyObject* object) : object_(object) {}
  PyObject* object_ = nullptr;
};

}  // namespace overbite::python
