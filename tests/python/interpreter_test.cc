#include "server/python/interpreter.h"

#include <filesystem>
#include <fstream>

#include "tests/python/python_test.h"

namespace overbite::python {
namespace {

namespace fs = std::filesystem;

struct InterpreterTest : PythonTest {
  // A module of that name with this text, to be imported.
  void module(const std::string& name, const std::string& text) {
    run("import sys, types\n"
        "module = types.ModuleType('" +
        name +
        "')\n"
        "sys.modules['" +
        name +
        "'] = module\n"
        "exec('''" +
        text + "''', module.__dict__)\n");
  }
  Interface detect(const std::string& expression) {
    return detect_interface(eval(expression).borrow());
  }
};

std::string import_error(const std::string& spec) {
  const auto imported = import_application(spec);
  return imported ? "no error" : imported.error();
}

TEST_F(InterpreterTest, HasTheServersNameAndTheFoldersPath) {
  run("import sys");
  EXPECT_EQ(repr(eval("sys.argv").borrow()), "['overbite-serve']");
  EXPECT_EQ(repr(eval("sys.path[0]").borrow()), "'" + fs::current_path().string() + "'");
}

TEST_F(InterpreterTest, RaisesForAPipeThatNobodyReads) {
  run("import os\n"
      "reader, writer = os.pipe()\n"
      "os.close(reader)\n"
      "try: os.write(writer, b'x')\n"
      "except BrokenPipeError: outcome = 'raised'\n"
      "os.close(writer)\n");
  EXPECT_EQ(repr(global("outcome")), "'raised'");
}

TEST_F(InterpreterTest, RefusesAnEnvironmentOfAnotherVersion) {
  const fs::path root = fs::path(testing::TempDir()) / "overbite-environment-of-2.7";
  fs::create_directories(root / "bin");
  std::ofstream(root / "bin" / "python3") << "";
  std::ofstream(root / "pyvenv.cfg") << "home = /usr/bin\nversion = 2.7.18\n";
  const auto started =
      start_interpreter({.executable = (root / "bin" / "python3").string(), .app_dir = {}});
  ASSERT_FALSE(started.ok());
  EXPECT_NE(started.error().find(root.string() + " is for Python 2.7.18"), std::string::npos)
      << started.error();
  fs::remove_all(root);
}

TEST_F(InterpreterTest, NamesAnExecutableThatIsNotThere) {
  const auto started = start_interpreter({.executable = "/nowhere/python3", .app_dir = {}});
  ASSERT_FALSE(started.ok());
  EXPECT_EQ(started.error(), "no Python executable at /nowhere/python3");
}

TEST_F(InterpreterTest, ImportsAnAttributeOfAnAttribute) {
  module("situation_nested", "class Outer:\\n  class Inner: pass\\n");
  const auto imported = import_application("situation_nested:Outer.Inner");
  ASSERT_TRUE(imported.ok()) << imported.error();
  EXPECT_TRUE(PyType_Check(imported.value().get()));
}

TEST_F(InterpreterTest, SaysWhatIsWrongWithAnImportString) {
  for (const char* const spec : {"module", ":app", "module:", ""}) {
    EXPECT_EQ(
        import_error(spec),
        "Import string \"" + std::string(spec) + "\" must be in format \"<module>:<attribute>\".");
  }
  EXPECT_EQ(import_error("no_such_module:app"), "Could not import module \"no_such_module\".");
  module("situation_empty", "number = 7");
  EXPECT_EQ(import_error("situation_empty:app"),
            "Attribute \"app\" not found in module \"situation_empty\".");
  EXPECT_EQ(
      import_error("situation_empty:number"),
      "Attribute \"number\" of module \"situation_empty\" cannot be called: it is of type int.");
}

TEST_F(InterpreterTest, ShowsTheTracebackOfAModuleThatRaises) {
  const fs::path folder = fs::path(testing::TempDir()) / "overbite-broken-module";
  fs::create_directories(folder);
  std::ofstream(folder / "situation_broken.py") << "import no_such_dependency\n";
  run("import sys\nsys.path.insert(0, '" + folder.string() + "')");
  const std::string error = import_error("situation_broken:app");
  EXPECT_NE(error.find("Traceback (most recent call last):"), std::string::npos) << error;
  EXPECT_TRUE(error.ends_with("ModuleNotFoundError: No module named 'no_such_dependency'"))
      << error;
  run("sys.path.pop(0)");
  fs::remove_all(folder);
}

TEST_F(InterpreterTest, TellsAsgiFromWsgi) {
  run("import functools\n"
      "async def asgi(scope, receive, send): pass\n"
      "def wsgi(environ, start_response): pass\n"
      "class AsyncCall:\n  async def __call__(self, scope, receive, send): pass\n"
      "class Call:\n  def __call__(self, environ, start_response): pass\n"
      "class Awaited:\n  def __init__(self, scope, receive, send): pass\n"
      "  def __await__(self): yield\n");
  for (const char* const application :
       {"asgi", "AsyncCall()", "AsyncCall().__call__", "Awaited", "functools.partial(asgi)"}) {
    EXPECT_EQ(detect(application), Interface::kAsgi) << application;
  }
  for (const char* const application : {"wsgi", "Call()", "Call", "lambda e, s: []"}) {
    EXPECT_EQ(detect(application), Interface::kWsgi) << application;
  }
}

TEST_F(InterpreterTest, TakesAnExceptionAsOneLine) {
  PyErr_SetString(PyExc_ValueError, "two\nlines");
  EXPECT_EQ(take_exception_line(), "ValueError: two lines");
  PyErr_SetNone(PyExc_KeyboardInterrupt);
  EXPECT_EQ(take_exception_line(), "KeyboardInterrupt");
  EXPECT_EQ(take_exception_line(), "");
}

TEST_F(InterpreterTest, TakesAnExceptionWhoseTextFails) {
  run("class Bad(Exception):\n  def __str__(self): raise TypeError\n");
  PyErr_SetNone(global("Bad").get());
  EXPECT_EQ(take_exception_line(), "situation.Bad: <exception str() failed>");
}

TEST_F(InterpreterTest, LogsAnExceptionInTheReferencesShape) {
  PyErr_SetString(PyExc_ValueError, "wrong");
  testing::internal::CaptureStderr();
  log_exception("Exception in ASGI application");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "ERROR:    Exception in ASGI application\nValueError: wrong\n");
}

TEST_F(InterpreterTest, LogsTextThatHasNoUtf8) {
  PyErr_SetObject(PyExc_ValueError, eval("'\\udc80'").get());
  testing::internal::CaptureStderr();
  log_exception("Exception in ASGI application");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "ERROR:    Exception in ASGI application\nValueError: \\udc80\n");
}

TEST_F(InterpreterTest, LeavesNothingBehindWhenItTakesExceptions) {
  const auto take = [] {
    PyErr_SetString(PyExc_ValueError, "wrong");
    take_exception_line();
    PyErr_SetString(PyExc_ValueError, "wrong");
    take_exception_text();
  };
  EXPECT_LE(growth_over_10000_calls(take), kGrowthMax);
}

}  // namespace
}  // namespace overbite::python
