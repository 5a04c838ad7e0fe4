#include "server/python/interpreter.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "server/python/compat.h"

#ifndef OVERBITE_PYTHON_EXECUTABLE
#define OVERBITE_PYTHON_EXECUTABLE "/usr/bin/python3"
#endif

namespace overbite::python {

namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& path) {
  std::error_code unreadable;
  return fs::exists(path, unreadable);
}

// The executable whose environment is taken over.
std::string choose_executable(const InterpreterOptions& options) {
  if (!options.executable.empty()) {
    return options.executable;
  }
  const char* const environment = std::getenv("VIRTUAL_ENV");
  if (environment != nullptr && *environment != '\0') {
    for (const char* const name : {"bin/python3", "bin/python"}) {
      const fs::path candidate = fs::path(environment) / name;
      if (is_there(candidate)) {
        return candidate.string();
      }
    }
  }
  return OVERBITE_PYTHON_EXECUTABLE;
}

// $VIRTUAL_ENV names something that is no virtual environment.
bool has_wrong_environment(const InterpreterOptions& options) {
  const char* const environment = std::getenv("VIRTUAL_ENV");
  return options.executable.empty() && environment != nullptr && *environment != '\0' &&
         !is_there(fs::path(environment) / "bin/python3") &&
         !is_there(fs::path(environment) / "bin/python");
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  const std::size_t last = text.find_last_not_of(" \t\r");
  return first == std::string_view::npos ? std::string_view()
                                         : text.substr(first, last - first + 1);
}

// The Python version that pyvenv.cfg names: "version_info" of virtualenv and uv, "version" of venv.
std::optional<std::string> version_in(const fs::path& configuration) {
  std::ifstream file(configuration);
  std::optional<std::string> version;
  for (std::string line; std::getline(file, line);) {
    const std::size_t equals = line.find('=');
    if (equals == std::string::npos) {
      continue;
    }
    const std::string_view key = trimmed(std::string_view(line).substr(0, equals));
    const std::string value(trimmed(std::string_view(line).substr(equals + 1)));
    if (key == "version_info") {
      return value;
    }
    if (key == "version") {
      version = value;
    }
  }
  return version;
}

// Packages of another minor version would fail one by one, far from the cause.
base::Result<> check_environment(const std::string& executable) {
  if (!is_there(executable)) {
    return base::Error{fmt::format("no Python executable at {}", executable)};
  }
  const fs::path folder = fs::path(executable).parent_path();
  for (const fs::path& root : {folder, folder.parent_path()}) {
    const std::optional<std::string> version = version_in(root / "pyvenv.cfg");
    const std::string ours = fmt::format("{}.{}", kPythonMajor, kPythonMinor);
    if (version && *version != ours && !version->starts_with(ours + ".")) {
      return base::Error{
          fmt::format("the virtual environment {} is for Python {}, this server was built for {}",
                      root.string(),
                      *version,
                      ours)};
    }
  }
  return base::Ok{};
}

class Config {
 public:
  Config() { PyConfig_InitPythonConfig(&config_); }
  ~Config() { PyConfig_Clear(&config_); }
  Config(const Config&) = delete;
  Config& operator=(const Config&) = delete;

  base::Result<> initialize(const std::string& executable) {
    config_.isolated = 0;
    config_.install_signal_handlers = 0;  // stopping is the server's
    config_.parse_argv = 0;
    // main() hands over no argv: what the application sees is a name that does not change.
    char name[] = "overbite-serve";
    char* argv[] = {name};
    PyStatus status = PyConfig_SetBytesArgv(&config_, 1, argv);
    for (wchar_t** const field : {&config_.program_name, &config_.executable}) {
      if (PyStatus_Exception(status) == 0) {
        status = PyConfig_SetBytesString(&config_, field, executable.c_str());
      }
    }
    if (PyStatus_Exception(status) == 0) {
      status = Py_InitializeFromConfig(&config_);
    }
    if (PyStatus_Exception(status) != 0) {
      return base::Error{
          fmt::format("cannot start Python as {}: {}",
                      executable,
                      status.err_msg != nullptr ? status.err_msg : "it asked to exit")};
    }
    return base::Ok{};
  }

 private:
  PyConfig config_;
};

base::Result<> insert_app_dir(const std::string& app_dir) {
  std::error_code failed;
  const fs::path folder =
      app_dir.empty() ? fs::current_path(failed) : fs::absolute(app_dir, failed);
  if (failed) {
    return base::Error{
        fmt::format("cannot find the application's folder \"{}\": {}", app_dir, failed.message())};
  }
  const Owned text = Owned::steal(PyUnicode_DecodeFSDefault(folder.lexically_normal().c_str()));
  const Borrowed path(PySys_GetObject("path"));
  if (!path) {
    return base::Error{"Python has no sys.path"};
  }
  if (!text || PyList_Insert(path.get(), 0, text.get()) != 0) {
    return base::Error{"cannot set sys.path: " + take_exception_line()};
  }
  return base::Ok{};
}

// A str as UTF-8, lone surrogates escaped. Empty when it cannot be had.
std::string to_utf8(Borrowed text) {
  const Owned bytes =
      Owned::steal(PyUnicode_AsEncodedString(text.get(), "utf-8", "backslashreplace"));
  if (!bytes) {
    PyErr_Clear();
    return {};
  }
  return std::string(PyBytes_AS_STRING(bytes.get()),
                     static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.get())));
}

// str(exception) on one line. Its __str__ is the application's and may fail.
std::string message_of(Borrowed exception) {
  const Owned text = Owned::steal(PyObject_Str(exception.get()));
  if (!text) {
    PyErr_Clear();
    return "<exception str() failed>";
  }
  std::string message = to_utf8(text.borrow());
  for (char& c : message) {
    if (c == '\n' || c == '\r') {
      c = ' ';
    }
  }
  return message;
}

// As traceback.format_exception_only() names a class: with its module, unless that says nothing.
std::string line_of(Borrowed exception) {
  const Borrowed type(reinterpret_cast<PyObject*>(Py_TYPE(exception.get())));
  const Owned qualified = attribute_or_null(type, "__qualname__");
  std::string name = qualified && PyUnicode_Check(qualified.get()) != 0
                         ? to_utf8(qualified.borrow())
                         : Py_TYPE(exception.get())->tp_name;
  const Owned module = attribute_or_null(type, "__module__");
  PyErr_Clear();  // of an attribute whose look-up raised
  if (module && PyUnicode_Check(module.get()) != 0) {
    const std::string module_name = to_utf8(module.borrow());
    if (module_name != "builtins" && module_name != "__main__") {
      name = module_name + "." + name;
    }
  }
  const std::string message = message_of(exception);
  return message.empty() ? name : name + ": " + message;
}

// "".join(traceback.format_exception(exception)); null with an exception set.
Owned format_exception(Borrowed exception) {
  const Owned module = Owned::steal(PyImport_ImportModule("traceback"));
  const Owned lines = module ? Owned::steal(PyObject_CallMethod(
                                   module.get(), "format_exception", "O", exception.get()))
                             : Owned();
  const Owned empty = Owned::steal(PyUnicode_FromString(""));
  return lines && empty ? Owned::steal(PyUnicode_Join(empty.get(), lines.get())) : Owned();
}

void write_whole(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written <= 0) {
      return;  // there is no other place to complain
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

// Whether the pending exception is a ModuleNotFoundError for `module` itself, and not for something
// that it imports.
bool module_is_missing(Borrowed module) {
  if (PyErr_ExceptionMatches(PyExc_ModuleNotFoundError) == 0) {
    return false;
  }
  Owned exception = take_exception();
  const Owned name = attribute_or_null(exception.borrow(), "name");
  PyErr_Clear();
  const bool missing =
      name && PyUnicode_Check(name.get()) != 0 && PyUnicode_Compare(name.get(), module.get()) == 0;
  raise_exception(std::move(exception));
  return missing;
}

// From the command line: bytes that are no UTF-8 become lone surrogates, as in sys.argv.
Owned decode_argument(std::string_view text) {
  return Owned::steal(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape"));
}

base::Error traceback_error(const std::string& what) {
  std::string text = what + "\n" + take_exception_text();
  text.erase(text.find_last_not_of('\n') + 1);
  return base::Error{std::move(text)};
}

base::Result<Owned> import_module(const std::string& module_name) {
  const Owned name = decode_argument(module_name);
  const Owned importlib = Owned::steal(PyImport_ImportModule("importlib"));
  Owned module =
      name && importlib
          ? Owned::steal(PyObject_CallMethod(importlib.get(), "import_module", "O", name.get()))
          : Owned();
  if (module) {
    return module;
  }
  if (name && module_is_missing(name.borrow())) {
    PyErr_Clear();
    return base::Error{fmt::format("Could not import module \"{}\".", module_name)};
  }
  return traceback_error(fmt::format("Exception while importing module \"{}\".", module_name));
}

bool is_true_call(const char* module_name, const char* function, Borrowed argument) {
  const Owned module = Owned::steal(PyImport_ImportModule(module_name));
  const Owned answer =
      module ? Owned::steal(PyObject_CallMethod(module.get(), function, "O", argument.get()))
             : Owned();
  const bool yes = answer && PyObject_IsTrue(answer.get()) == 1;
  PyErr_Clear();  // a strange object is no coroutine function
  return yes;
}

bool is_coroutine_function(Borrowed object) {
  return is_true_call("asyncio", "iscoroutinefunction", object);
}

}  // namespace

base::Result<> start_interpreter(const InterpreterOptions& options) {
  if (has_wrong_environment(options)) {
    return base::Error{fmt::format("$VIRTUAL_ENV is {}: there is no bin/python3 in it",
                                   std::getenv("VIRTUAL_ENV"))};
  }
  const std::string executable = choose_executable(options);
  if (const auto checked = check_environment(executable); !checked) {
    return checked;
  }
  // Python's own handlers are off, and these two with them: a write to a closed connection of the
  // application's is an OSError there, not the end of the process.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  Config config;
  if (const auto started = config.initialize(executable); !started) {
    return started;
  }
  return insert_app_dir(options.app_dir);
}

bool stop_interpreter() { return Py_FinalizeEx() == 0; }

std::string take_exception_text() {
  const Owned exception = take_exception();
  if (!exception) {
    return {};
  }
  const Owned text = format_exception(exception.borrow());
  if (!text) {
    PyErr_Clear();
    return line_of(exception.borrow()) + "\n";
  }
  return to_utf8(text.borrow());
}

std::string take_exception_line() {
  const Owned exception = take_exception();
  return exception ? line_of(exception.borrow()) : std::string();
}

void log_line(base::Level level, const std::string& message) {
  const Detached detached;  // guard: log-stops-every-thread
  base::log(level, message);
}

void log_exception(const std::string& message) {
  const std::string text = fmt::format("ERROR:    {}\n{}", message, take_exception_text());
  // A full pipe blocks: others may run meanwhile.
  const Detached detached;
  write_whole(text);
}

base::Result<Owned> import_application(const std::string& spec) {
  const std::size_t colon = spec.find(':');
  if (colon == 0 || colon == std::string::npos || colon + 1 == spec.size()) {
    return base::Error{
        fmt::format("Import string \"{}\" must be in format \"<module>:<attribute>\".", spec)};
  }
  const std::string module_name = spec.substr(0, colon);
  const std::string attributes = spec.substr(colon + 1);
  auto module = import_module(module_name);
  if (!module) {
    return module;
  }
  Owned object = std::move(module.value());
  for (std::size_t start = 0; start <= attributes.size();) {
    const std::size_t dot = std::min(attributes.find('.', start), attributes.size());
    const Owned name = decode_argument(std::string_view(attributes).substr(start, dot - start));
    object = name ? Owned::steal(PyObject_GetAttr(object.get(), name.get())) : Owned();
    if (!object && PyErr_ExceptionMatches(PyExc_AttributeError) != 0) {
      PyErr_Clear();
      return base::Error{
          fmt::format("Attribute \"{}\" not found in module \"{}\".", attributes, module_name)};
    }
    if (!object) {
      return traceback_error(fmt::format(
          "Exception while looking up \"{}\" in module \"{}\".", attributes, module_name));
    }
    start = dot + 1;
  }
  if (PyCallable_Check(object.get()) == 0) {
    return base::Error{
        fmt::format("Attribute \"{}\" of module \"{}\" cannot be called: it is of type {}.",
                    attributes,
                    module_name,
                    Py_TYPE(object.get())->tp_name)};
  }
  return object;
}

Interface detect_interface(Borrowed application) {
  bool asgi = is_coroutine_function(application);
  if (!asgi && PyType_Check(application.get()) != 0) {
    asgi = PyObject_HasAttrString(application.get(), "__await__") != 0;
  }
  if (!asgi) {
    const Owned call = attribute_or_null(application, "__call__");
    PyErr_Clear();
    asgi = call && is_coroutine_function(call.borrow());
  }
  return asgi ? Interface::kAsgi : Interface::kWsgi;
}

}  // namespace overbite::python
