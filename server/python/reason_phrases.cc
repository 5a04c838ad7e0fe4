#include "server/python/reason_phrases.h"

#include <string>

#include "server/python/interpreter.h"
#include "server/python/refs.h"

namespace overbite::python {

namespace {

bool load(http::ReasonTable& table) {
  const Owned client = Owned::steal(PyImport_ImportModule("http.client"));
  const Owned responses =
      client ? Owned::steal(PyObject_GetAttrString(client.get(), "responses")) : Owned();
  if (!responses) {
    return false;
  }
  for (int status = http::ReasonTable::kFirst; status <= http::ReasonTable::kLast; ++status) {
    const Owned key = Owned::steal(PyLong_FromLong(status));
    if (!key) {
      return false;
    }
    const Borrowed phrase(PyDict_GetItemWithError(responses.get(), key.get()));
    if (!phrase) {
      if (PyErr_Occurred() != nullptr) {
        return false;
      }
      continue;
    }
    Py_ssize_t size = 0;
    const char* const text = PyUnicode_AsUTF8AndSize(phrase.get(), &size);
    if (text == nullptr) {
      return false;
    }
    table.set(status, std::string(text, static_cast<std::size_t>(size)));
  }
  return true;
}

}  // namespace

base::Result<> load_reason_phrases(http::ReasonTable& table) {
  if (!load(table)) {
    return base::Error{"cannot read http.client.responses: " + take_exception_line()};
  }
  return base::Ok{};
}

}  // namespace overbite::python
