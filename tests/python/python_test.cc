#include "tests/python/python_test.h"

#include <cstdlib>

namespace overbite::python {

namespace {

class InterpreterEnvironment : public testing::Environment {
 public:
  void SetUp() override {
    ::unsetenv("VIRTUAL_ENV");  // whoever starts the tests: the interpreter they were built with
    const auto started = start_interpreter({});
    ASSERT_TRUE(started.ok()) << started.error();
  }
  void TearDown() override {
    if (Py_IsInitialized() != 0) {
      EXPECT_TRUE(stop_interpreter());
    }
  }
};

// gtest owns it.
[[maybe_unused]] testing::Environment* const interpreter =
    testing::AddGlobalTestEnvironment(new InterpreterEnvironment);

}  // namespace

void PythonTest::TearDown() {
  EXPECT_EQ(PyErr_Occurred(), nullptr)
      << "an exception was left pending: " << take_exception_text();
  globals_.reset();
}

Borrowed PythonTest::globals() {
  if (!globals_) {
    globals_ = Owned::steal(PyDict_New());
    PyDict_SetItemString(globals_.get(), "__builtins__", PyEval_GetBuiltins());
    PyDict_SetItemString(
        globals_.get(), "__name__", Owned::steal(PyUnicode_FromString("situation")).get());
  }
  return globals_.borrow();
}

void PythonTest::run(const std::string& statements) {
  const Borrowed names = globals();
  const Owned done =
      Owned::steal(PyRun_String(statements.c_str(), Py_file_input, names.get(), names.get()));
  if (!done) {
    ADD_FAILURE() << take_exception_text();
  }
}

Owned PythonTest::eval(const std::string& expression) {
  const Borrowed names = globals();
  Owned value =
      Owned::steal(PyRun_String(expression.c_str(), Py_eval_input, names.get(), names.get()));
  if (!value) {
    ADD_FAILURE() << take_exception_text();
    return Owned::share(Py_None);
  }
  return value;
}

Borrowed PythonTest::global(const char* name) {
  return Borrowed(PyDict_GetItemString(globals().get(), name));
}

std::string repr(Borrowed object) {
  const Owned text = Owned::steal(PyObject_Repr(object.get()));
  return text ? PyUnicode_AsUTF8(text.get()) : take_exception_text();
}

std::string take_exception_type() {
  const std::string line = take_exception_line();
  return line.empty() ? "none" : line.substr(0, line.find(':'));
}

long allocated_blocks() {
  PyGC_Collect();  // an exception, its traceback and its frame hold each other
  const Owned count = Owned::steal(PyObject_CallNoArgs(PySys_GetObject("getallocatedblocks")));
  return PyLong_AsLong(count.get());
}

std::unique_ptr<request::Request> make_request(
    const std::string& raw_path,
    const std::string& query,
    const std::vector<std::pair<std::string, std::string>>& fields) {
  auto made = std::make_unique<request::Request>();
  made->head = std::make_unique<http::RequestHead>();
  http::RequestHead& head = *made->head;
  head.method = "GET";
  head.raw_path = raw_path;
  head.query = query;
  for (const auto& [name, value] : fields) {
    head.storage += name + value;
  }
  std::string_view rest = head.storage;
  for (const auto& [name, value] : fields) {
    head.headers.push_back({rest.substr(0, name.size()), rest.substr(name.size(), value.size())});
    rest.remove_prefix(name.size() + value.size());
  }
  made->endpoints = std::make_shared<request::Endpoints>(
      request::Endpoints{"127.0.0.1", 4000, "127.0.0.1", 8000});
  made->body_complete = true;
  return made;
}

}  // namespace overbite::python
