// The one interpreter of the process.
#pragma once

#include <string>
#include <vector>

#include "server/base/log.h"
#include "server/base/result.h"
#include "server/python/refs.h"

namespace overbite::python {

struct InterpreterOptions {
  // Path of a python executable whose environment is taken over (a virtual environment's
  // bin/python3); empty: $VIRTUAL_ENV's, else the interpreter this was built with.
  std::string executable;
  // Put first on sys.path, as uvicorn's --app-dir.
  std::string app_dir;
};

// Main thread, once. On success the calling thread is attached.
base::Result<> start_interpreter(const InterpreterOptions& options);
// Main thread, attached; runs atexit handlers and flushes. False when Python said that flushing
// failed.
bool stop_interpreter();

// Attaches the current thread for the object's lifetime (nests).
class Attached {
 public:
  Attached() : state_(PyGILState_Ensure()) {}
  ~Attached() { PyGILState_Release(state_); }
  Attached(const Attached&) = delete;
  Attached& operator=(const Attached&) = delete;

 private:
  PyGILState_STATE state_;
};

// Detaches an attached thread for the object's lifetime: around every wait, lock and join.
class Detached {
 public:
  Detached() : state_(PyEval_SaveThread()) {}
  ~Detached() { PyEval_RestoreThread(state_); }
  Detached(const Detached&) = delete;
  Detached& operator=(const Detached&) = delete;

 private:
  PyThreadState* state_;
};

// The pending exception as Python's traceback module would print it, the exception cleared. Empty
// when none was pending.
std::string take_exception_text();
// The same, one line ("ModuleNotFoundError: No module named 'x'").
std::string take_exception_line();
// base::log, for an attached thread: others may run while stderr takes nothing.
void log_line(base::Level level, const std::string& message);
// Writes "ERROR:    <message>\n" and the pending exception's traceback to stderr, exception
// cleared.
void log_exception(const std::string& message);

// "module:attr.attr" -> the object. The error is one line that says what is missing: the module, or
// the attribute, and for an exception inside the module's code the whole traceback.
base::Result<Owned> import_application(const std::string& spec);

enum class Interface { kAuto, kAsgi, kWsgi };
// What kAuto means for this application: asgi when it, or its __call__, is a coroutine function, or
// it is a class/instance with such a __call__; else wsgi. (uvicorn's rule for telling ASGI 3.)
Interface detect_interface(Borrowed application);

}  // namespace overbite::python
