#include "server/python/scope_template.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "server/http/target.h"
#include "server/python/interpreter.h"

namespace overbite::python {

namespace {

// Interned once; they live as long as the process, as its one interpreter does.
struct Keys {
  PyObject* type = PyUnicode_InternFromString("type");
  PyObject* asgi = PyUnicode_InternFromString("asgi");
  PyObject* http_version = PyUnicode_InternFromString("http_version");
  PyObject* server = PyUnicode_InternFromString("server");
  PyObject* client = PyUnicode_InternFromString("client");
  PyObject* scheme = PyUnicode_InternFromString("scheme");
  PyObject* root_path = PyUnicode_InternFromString("root_path");
  PyObject* headers = PyUnicode_InternFromString("headers");
  PyObject* state = PyUnicode_InternFromString("state");
  PyObject* method = PyUnicode_InternFromString("method");
  PyObject* path = PyUnicode_InternFromString("path");
  PyObject* raw_path = PyUnicode_InternFromString("raw_path");
  PyObject* query_string = PyUnicode_InternFromString("query_string");
};

const Keys& keys() {
  static const Keys interned;
  return interned;
}

// Takes `fresh`, a new reference, over; null means that making it failed.
bool store(Borrowed dict, PyObject* key, PyObject* fresh) {
  const Owned value = Owned::steal(fresh);  // guard: scope-value-leaked
  return value && PyDict_SetItem(dict.get(), key, value.get()) == 0;
}

PyObject* to_bytes(std::string_view bytes) {
  return PyBytes_FromStringAndSize(bytes.data(), static_cast<Py_ssize_t>(bytes.size()));
}

PyObject* to_str(std::string_view utf8) {
  return PyUnicode_DecodeUTF8(utf8.data(), static_cast<Py_ssize_t>(utf8.size()), "surrogateescape");
}

// (host, port), or None for an end without an address.
PyObject* to_address(const std::string& host, int port) {
  return host.empty() ? Py_NewRef(Py_None) : Py_BuildValue("(si)", host.c_str(), port);
}

PyObject* to_pairs(const std::vector<http::HeaderField>& fields) {
  Owned list = Owned::steal(PyList_New(static_cast<Py_ssize_t>(fields.size())));
  if (!list) {
    return nullptr;
  }
  for (std::size_t i = 0; i < fields.size(); ++i) {
    Owned name = Owned::steal(to_bytes(fields[i].name));
    Owned value = Owned::steal(to_bytes(fields[i].value));
    PyObject* const pair = name && value ? PyTuple_New(2) : nullptr;
    if (pair == nullptr) {
      return nullptr;
    }
    PyTuple_SET_ITEM(pair, 0, name.release());
    PyTuple_SET_ITEM(pair, 1, value.release());
    PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), pair);
  }
  return list.release();
}

PyObject* to_version(const http::RequestHead& head) {
  return PyUnicode_FromFormat("%d.%d", head.version_major, head.version_minor);
}

// All keys in the reference's order, so that a request's stores keep it.
bool fill_template(Borrowed dict, const std::string& root_path, const std::string& host, int port) {
  const Keys& key = keys();
  return store(dict, key.type, PyUnicode_InternFromString("http")) &&
         store(dict, key.asgi, Py_BuildValue("{ss,ss}", "version", "3.0", "spec_version", "2.3")) &&
         store(dict, key.http_version, PyUnicode_InternFromString("1.1")) &&
         store(dict, key.server, to_address(host, port)) &&
         store(dict, key.client, Py_NewRef(Py_None)) &&
         store(dict, key.scheme, PyUnicode_InternFromString("http")) &&
         store(dict, key.root_path, to_str(root_path)) &&
         store(dict, key.headers, Py_NewRef(Py_None)) &&
         store(dict, key.state, Py_NewRef(Py_None)) &&
         store(dict, key.method, Py_NewRef(Py_None)) && store(dict, key.path, Py_NewRef(Py_None)) &&
         store(dict, key.raw_path, Py_NewRef(Py_None)) &&
         store(dict, key.query_string, Py_NewRef(Py_None));
}

bool store_head(Borrowed scope, const http::RequestHead& head, const std::string& root_path) {
  const Keys& key = keys();
  const bool usual_version = head.version_major == 1 && head.version_minor == 1;
  return (usual_version || store(scope, key.http_version, to_version(head))) &&
         store(scope, key.headers, to_pairs(head.headers)) &&
         store(scope, key.method, to_str(head.method)) &&
         store(scope, key.path, to_str(root_path + http::unquote_path(head.raw_path))) &&
         store(scope, key.raw_path, to_bytes(root_path + head.raw_path)) &&
         store(scope, key.query_string, to_bytes(head.query));
}

}  // namespace

base::Result<ScopeTemplate> ScopeTemplate::make(const std::string& root_path,
                                                const std::string& server_host,
                                                int server_port) {
  ScopeTemplate made;
  made.root_path_ = root_path;
  made.server_host_ = server_host;
  made.server_port_ = server_port;
  made.template_ = Owned::steal(PyDict_New());
  if (!made.template_ ||
      !fill_template(made.template_.borrow(), root_path, server_host, server_port)) {
    return base::Error{fmt::format(
        "cannot make the ASGI scope for root path \"{}\": {}", root_path, take_exception_line())};
  }
  return made;
}

Owned ScopeTemplate::build(const request::Request& request, Borrowed state) const {
  Owned scope = Owned::steal(PyDict_Copy(template_.get()));  // guard: scope-template-shared
  if (!scope) {
    return Owned();
  }
  const Keys& key = keys();
  // A dict in the dict: the application may change that one too.
  const Borrowed asgi(PyDict_GetItemWithError(template_.get(), key.asgi));
  bool good = asgi && store(scope.borrow(), key.asgi, PyDict_Copy(asgi.get())) &&
              store(scope.borrow(), key.state, state ? PyDict_Copy(state.get()) : PyDict_New()) &&
              store_head(scope.borrow(), *request.head, root_path_);
  if (good && request.endpoints != nullptr) {
    const request::Endpoints& ends = *request.endpoints;
    const bool usual_server = ends.server_host == server_host_ && ends.server_port == server_port_;
    good = store(scope.borrow(), key.client, to_address(ends.client_host, ends.client_port)) &&
           (usual_server ||
            store(scope.borrow(), key.server, to_address(ends.server_host, ends.server_port)));
  }
  return good ? std::move(scope) : Owned();
}

}  // namespace overbite::python
