#include "server/python/read_head.h"

#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "server/http/field_kind.h"
#include "server/http/reason.h"
#include "server/http/refusal.h"
#include "server/python/compat.h"

namespace overbite::python {

namespace {

// A field as it lies in the application's objects. Valid until Python code runs again.
struct RawField {
  http::FieldKind kind;
  std::string_view name;
  std::string_view value;
};

// What the first pass finds out.
struct Sized {
  std::vector<RawField> fields;
  std::size_t bytes = 0;
};

bool is_plain_sequence(Borrowed object) {
  return PyList_CheckExact(object.get()) || PyTuple_CheckExact(object.get());
}

bool all_pairs_are_plain(Borrowed fields) {
  const Py_ssize_t size = PySequence_Fast_GET_SIZE(fields.get());
  for (Py_ssize_t i = 0; i < size; ++i) {
    if (!is_plain_sequence(Borrowed(PySequence_Fast_GET_ITEM(fields.get(), i)))) {
      return false;
    }
  }
  return true;
}

// The fields as a list or tuple of lists and tuples, so that no code of the application runs while
// spans into its objects are held: the application's own sequence where it is one already, else a
// private copy. Null with an exception set.
Owned plain_fields(Borrowed headers) {
  if (is_plain_sequence(headers) && all_pairs_are_plain(headers)) {
    return Owned::share(headers);
  }
  Owned list = Owned::steal(PySequence_List(headers.get()));
  if (!list) {
    return list;
  }
  // Nobody else has this list, so it keeps its size while the application's iterators run.
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list.get()); ++i) {
    const Owned pair = Owned::share(PyList_GET_ITEM(list.get(), i));
    if (is_plain_sequence(pair.borrow())) {
      continue;
    }
    PyObject* const tuple = PySequence_Tuple(pair.get());
    if (tuple == nullptr) {
      return Owned();
    }
    if (PyList_SetItem(list.get(), i, tuple) != 0) {  // takes the tuple over
      return Owned();
    }
  }
  return list;
}

// Python's words for `name, value = pair`.
bool has_two(Borrowed pair) {
  const Py_ssize_t size = PySequence_Fast_GET_SIZE(pair.get());
  if (size == 2) {
    return true;
  }
  if (size > 2) {
    PyErr_SetString(PyExc_ValueError, "too many values to unpack (expected 2)");
  } else {
    PyErr_Format(PyExc_ValueError, "not enough values to unpack (expected 2, got %zd)", size);
  }
  return false;
}

// Refuses and classifies; what is good is counted.
bool take_field(std::string_view name, std::string_view value, Sized& sized) {
  const http::Refusal refusal = http::refuse_field(name, value);
  if (refusal != http::Refusal::kNone) {
    PyErr_SetString(PyExc_RuntimeError, http::refusal_message(refusal));
    return false;
  }
  sized.fields.push_back({http::classify_field(name), name, value});
  sized.bytes += name.size() + value.size();
  if (sized.bytes > std::numeric_limits<std::uint32_t>::max()) {
    PyErr_SetString(PyExc_ValueError, "the response head is larger than 4 GiB");
    return false;
  }
  return true;
}

// The second pass: one block, filled once.
void copy_fields(const Sized& sized, http::ResponseHead& out) {
  out.reserve(sized.fields.size(), sized.bytes);
  for (const RawField& field : sized.fields) {
    out.add(field.kind, field.name, field.value);
  }
}

// KeyError(status), as from the reference's table of status lines.
bool unknown_status(Borrowed status) {
  const Owned error = Owned::steal(PyObject_CallOneArg(PyExc_KeyError, status.get()));
  if (error) {
    PyErr_SetObject(PyExc_KeyError, error.get());
  }
  return false;
}

bool read_status(Borrowed status, int& out) {
  if (PyLong_Check(status.get()) == 0) {
    return unknown_status(status);
  }
  int overflow = 0;
  const long number = PyLong_AsLongAndOverflow(status.get(), &overflow);
  if (overflow != 0 || number < http::ReasonTable::kFirst || number > http::ReasonTable::kLast) {
    return unknown_status(status);
  }
  out = static_cast<int>(number);
  return true;
}

// --- ASGI ---------------------------------------------------------------------------------------

// The bytes of a name or value. Runs no Python code.
bool bytes_span(Borrowed object, const char* what, std::string_view& out) {
  if (PyBytes_Check(object.get())) {
    out = {PyBytes_AS_STRING(object.get()),
           static_cast<std::size_t>(PyBytes_GET_SIZE(object.get()))};
    return true;
  }
  if (PyByteArray_Check(object.get())) {
    out = {PyByteArray_AS_STRING(object.get()),
           static_cast<std::size_t>(PyByteArray_GET_SIZE(object.get()))};
    return true;
  }
  PyErr_Format(PyExc_TypeError,
               "a header %s must be bytes or bytearray, not %.100s",
               what,
               Py_TYPE(object.get())->tp_name);
  return false;
}

bool size_asgi_fields(Borrowed fields, Sized& sized) {
  PyObject* const list = fields.get();
  const Py_ssize_t size = PySequence_Fast_GET_SIZE(list);
  sized.fields.reserve(static_cast<std::size_t>(size));
  for (Py_ssize_t i = 0; i < size; ++i) {
    const Borrowed pair(PySequence_Fast_GET_ITEM(list, i));  // guard: borrowed-reference-released
    std::string_view name;
    std::string_view value;
    if (!has_two(Borrowed(pair.get())) ||
        !bytes_span(Borrowed(PySequence_Fast_GET_ITEM(pair.get(), 0)), "name", name) ||
        !bytes_span(Borrowed(PySequence_Fast_GET_ITEM(pair.get(), 1)), "value", value) ||
        !take_field(name, value, sized)) {
      return false;
    }
  }
  return true;
}

// --- WSGI ---------------------------------------------------------------------------------------

// text.strip().encode("latin-1"), in place where the str is held in one byte a character, else in a
// new object that goes to `kept`. Runs no Python code.
bool latin1_span(Borrowed text, const char* what, std::vector<Owned>& kept, std::string_view& out) {
  if (PyUnicode_Check(text.get()) == 0) {
    PyErr_Format(
        PyExc_TypeError, "a %s must be a str, not %.100s", what, Py_TYPE(text.get())->tp_name);
    return false;
  }
  if (!make_str_ready(text)) {
    return false;
  }
  const auto kind = PyUnicode_KIND(text.get());
  const void* const data = PyUnicode_DATA(text.get());
  Py_ssize_t first = 0;
  Py_ssize_t last = PyUnicode_GET_LENGTH(text.get());
  while (first < last && Py_UNICODE_ISSPACE(PyUnicode_READ(kind, data, first)) != 0) {
    ++first;
  }
  while (first < last && Py_UNICODE_ISSPACE(PyUnicode_READ(kind, data, last - 1)) != 0) {
    --last;
  }
  if (kind == PyUnicode_1BYTE_KIND) {
    out = {static_cast<const char*>(data) + first, static_cast<std::size_t>(last - first)};
    return true;
  }
  // A character beyond latin-1 that was no blank at an end: UnicodeEncodeError.
  const Owned stripped = Owned::steal(PyUnicode_Substring(text.get(), first, last));
  Owned bytes = stripped ? Owned::steal(PyUnicode_AsLatin1String(stripped.get())) : Owned();
  if (!bytes) {
    return false;
  }
  out = {PyBytes_AS_STRING(bytes.get()), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.get()))};
  kept.push_back(std::move(bytes));
  return true;
}

bool size_wsgi_fields(Borrowed fields, std::vector<Owned>& kept, Sized& sized) {
  const Py_ssize_t size = PySequence_Fast_GET_SIZE(fields.get());
  sized.fields.reserve(static_cast<std::size_t>(size));
  for (Py_ssize_t i = 0; i < size; ++i) {
    const Borrowed pair(PySequence_Fast_GET_ITEM(fields.get(), i));
    std::string_view name;
    std::string_view value;
    if (!has_two(pair) ||
        !latin1_span(
            Borrowed(PySequence_Fast_GET_ITEM(pair.get(), 0)), "header name", kept, name) ||
        !latin1_span(
            Borrowed(PySequence_Fast_GET_ITEM(pair.get(), 1)), "header value", kept, value) ||
        !take_field(name, value, sized)) {
      return false;
    }
  }
  return true;
}

// "404 Not Found" (PEP 3333: a status code, one blank, a reason phrase).
bool read_status_line(Borrowed line, const http::Quirks& quirks, http::ResponseHead& out) {
  if (PyUnicode_Check(line.get()) == 0) {
    PyErr_Format(
        PyExc_TypeError, "the status must be a str, not %.100s", Py_TYPE(line.get())->tp_name);
    return false;
  }
  if (!make_str_ready(line)) {
    return false;
  }
  const Py_ssize_t size = PyUnicode_GET_LENGTH(line.get());
  const Py_ssize_t blank = PyUnicode_FindChar(line.get(), ' ', 0, size, 1);
  if (blank < 0) {
    if (blank == -1) {
      PyErr_Format(
          PyExc_ValueError, "the status must be a code, a blank and a reason: %R", line.get());
    }
    return false;
  }
  const Owned code = Owned::steal(PyUnicode_Substring(line.get(), 0, blank));
  const Owned number = code ? Owned::steal(PyLong_FromUnicodeObject(code.get(), 10)) : Owned();
  if (!number || !read_status(number.borrow(), out.status)) {
    return false;
  }
  if (quirks.wsgi_standard_reason) {
    return true;
  }
  const Owned rest = Owned::steal(PyUnicode_Substring(line.get(), blank + 1, size));
  const Owned reason = rest ? Owned::steal(PyUnicode_AsLatin1String(rest.get())) : Owned();
  if (!reason) {
    return false;
  }
  const std::string_view bytes(PyBytes_AS_STRING(reason.get()),
                               static_cast<std::size_t>(PyBytes_GET_SIZE(reason.get())));
  if (http::refuse_field({}, bytes) != http::Refusal::kNone) {
    PyErr_SetString(PyExc_RuntimeError, "Invalid HTTP reason phrase.");
    return false;
  }
  out.reason = bytes;
  out.own_reason = true;
  return true;
}

}  // namespace

bool read_asgi_head(Borrowed status, Borrowed headers, http::ResponseHead& out) {
  out.clear();
  const Owned fields = plain_fields(headers);
  if (!fields || !read_status(status, out.status)) {
    return false;
  }
  Sized sized;
  if (!size_asgi_fields(fields.borrow(), sized)) {
    return false;
  }
  copy_fields(sized, out);
  return true;
}

bool read_wsgi_head(Borrowed status_line,
                    Borrowed headers,
                    const http::Quirks& quirks,
                    http::ResponseHead& out) {
  out.clear();
  if (!read_status_line(status_line, quirks, out)) {
    return false;
  }
  const Owned fields = plain_fields(headers);
  if (!fields) {
    return false;
  }
  std::vector<Owned> kept;
  Sized sized;
  if (!size_wsgi_fields(fields.borrow(), kept, sized)) {
    return false;
  }
  copy_fields(sized, out);
  return true;
}

}  // namespace overbite::python
