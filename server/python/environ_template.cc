#include <Python.h>

#include <string>
#include <string_view>
#include <utility>

#include "server/http/target.h"
#include "server/python/interpreter.h"
#include "server/python/wsgi.h"

namespace overbite::python {

namespace {

// io.BytesIO; set before the first environ is built, kept as long as the process lives.
PyObject* bytes_io = nullptr;

// Takes `fresh`, a new reference, over; null means that making it failed.
bool store(Borrowed dict, const char* key, PyObject* fresh) {
  const Owned value = Owned::steal(fresh);
  return value && PyDict_SetItemString(dict.get(), key, value.get()) == 0;
}

// PEP 3333's "bytes as str".
PyObject* to_str(std::string_view bytes) {
  return PyUnicode_DecodeLatin1(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), nullptr);
}

PyObject* attribute_of(const char* module_name, const char* name) {
  const Owned module = Owned::steal(PyImport_ImportModule(module_name));
  return module ? PyObject_GetAttrString(module.get(), name) : nullptr;
}

bool fill_template(Borrowed dict, const std::string& script_name, bool multithread) {
  return store(dict, "SCRIPT_NAME", to_str(script_name)) &&
         store(dict, "wsgi.version", Py_BuildValue("(ii)", 1, 0)) &&
         store(dict, "wsgi.url_scheme", PyUnicode_InternFromString("http")) &&
         store(dict, "wsgi.errors", attribute_of("sys", "stderr")) &&
         store(dict, "wsgi.multithread", PyBool_FromLong(multithread ? 1 : 0)) &&
         store(dict, "wsgi.multiprocess", Py_NewRef(Py_False)) &&
         store(dict, "wsgi.run_once", Py_NewRef(Py_False)) &&
         store(dict, "wsgi.input_terminated", Py_NewRef(Py_True)) &&
         store(dict, "wsgi.file_wrapper", attribute_of("wsgiref.util", "FileWrapper"));
}

std::string key_of(std::string_view name) {
  if (name == "content-type") {
    return "CONTENT_TYPE";
  }
  if (name == "content-length") {
    return "CONTENT_LENGTH";
  }
  std::string key = "HTTP_";
  for (const char c : name) {
    const bool lower = c >= 'a' && c <= 'z';
    key.push_back(c == '-' ? '_' : lower ? static_cast<char>(c - 'a' + 'A') : c);
  }
  return key;
}

// One field. Another one by the same key is joined to it, never replaced: an X_Y beside an X-Y
// cannot take its place.
bool store_field(Borrowed environ, const http::HeaderField& field, bool comma_cookies) {
  const std::string name = key_of(field.name);
  const Owned key = Owned::steal(to_str(name));
  Owned value = key ? Owned::steal(to_str(field.value)) : Owned();
  if (!value) {
    return false;
  }
  const Borrowed earlier(PyDict_GetItemWithError(environ.get(), key.get()));
  if (!earlier && PyErr_Occurred() != nullptr) {
    return false;
  }
  if (earlier) {
    // RFC 6265 5.4: a list of cookies is separated by "; ".
    const char* const separator = name == "HTTP_COOKIE" && !comma_cookies ? "; " : ",";
    value = Owned::steal(PyUnicode_FromFormat("%U%s%U", earlier.get(), separator, value.get()));
  }
  return value && PyDict_SetItem(environ.get(), key.get(), value.get()) == 0;
}

bool store_ends(Borrowed environ, const request::Endpoints* ends) {
  const bool has_server = ends != nullptr && !ends->server_host.empty();
  if (!store(environ, "SERVER_NAME", to_str(has_server ? ends->server_host : "localhost")) ||
      !store(environ,
             "SERVER_PORT",
             PyUnicode_FromFormat("%d", has_server ? ends->server_port : 80))) {
    return false;
  }
  if (ends == nullptr || ends->client_host.empty()) {
    return true;
  }
  return store(environ, "REMOTE_ADDR", to_str(ends->client_host)) &&
         store(environ, "REMOTE_PORT", PyUnicode_FromFormat("%d", ends->client_port));
}

PyObject* to_input(const std::string& body) {
  const Owned bytes =
      Owned::steal(PyBytes_FromStringAndSize(body.data(), static_cast<Py_ssize_t>(body.size())));
  return bytes ? PyObject_CallOneArg(bytes_io, bytes.get()) : nullptr;
}

}  // namespace

base::Result<EnvironTemplate> EnvironTemplate::make(const std::string& script_name,
                                                    bool multithread,
                                                    const http::Quirks& quirks) {
  EnvironTemplate made;
  made.script_name_ = script_name;
  made.comma_cookies_ = quirks.wsgi_comma_cookies;
  made.template_ = Owned::steal(PyDict_New());
  if (bytes_io == nullptr) {
    bytes_io = attribute_of("io", "BytesIO");
  }
  if (!made.template_ || bytes_io == nullptr ||
      !fill_template(made.template_.borrow(), script_name, multithread)) {
    return base::Error{"cannot make the WSGI environ: " + take_exception_line()};
  }
  return made;
}

Owned EnvironTemplate::build(const request::Request& request) const {
  Owned environ = Owned::steal(PyDict_Copy(template_.get()));  // guard: environ-not-copied
  if (!environ) {
    return Owned();
  }
  const Borrowed dict = environ.borrow();
  const http::RequestHead& head = *request.head;
  if (!store(dict, "REQUEST_METHOD", to_str(head.method)) ||
      !store(dict, "PATH_INFO", to_str(http::unquote_path(head.raw_path))) ||
      !store(dict, "QUERY_STRING", to_str(head.query)) ||
      !store(dict,
             "SERVER_PROTOCOL",
             PyUnicode_FromFormat("HTTP/%d.%d", head.version_major, head.version_minor)) ||
      !store_ends(dict, request.endpoints.get()) ||
      !store(dict, "wsgi.input", to_input(request.body))) {
    return Owned();
  }
  for (const http::HeaderField& field : head.headers) {
    if (!store_field(dict, field, comma_cookies_)) {
      return Owned();
    }
  }
  return environ;
}

}  // namespace overbite::python
