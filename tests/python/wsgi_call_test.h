// The fixture of the WSGI call's tests: an application written in Python, and a sink that notes.
#pragma once

#include <memory>
#include <string>

#include "server/python/wsgi.h"
#include "tests/python/python_test.h"

namespace overbite::python {

using Step = WsgiCall::Step;

// Writes down what it is given, and refuses what it is told to.
class NotingSink final : public WsgiSink {
 public:
  bool on_head(const http::ResponseHead& head) override {
    noted += std::to_string(head.status) + " ";
    for (std::size_t i = 0; i < head.size(); ++i) {
      noted += std::string(head.name(i)) + "=" + std::string(head.value(i)) + " ";
    }
    return answer(refuse_head);
  }
  bool on_body(std::string_view piece) override {
    noted += "[" + std::string(piece) + "]";
    return answer(refuse_body);
  }
  bool on_end() override {
    noted += "end";
    return answer(refuse_end);
  }

  bool send_now() override {
    noted += "!";
    return answer(refuse_now);
  }

  enum class Refusal { kNone, kError, kGone };
  Refusal refuse_head = Refusal::kNone;
  Refusal refuse_body = Refusal::kNone;
  Refusal refuse_end = Refusal::kNone;
  Refusal refuse_now = Refusal::kNone;
  std::string noted;

 private:
  static bool answer(Refusal refusal) {
    if (refusal == Refusal::kError) {
      PyErr_SetString(PyExc_RuntimeError, "the sink refuses");
    }
    return refusal == Refusal::kNone;
  }
};

struct WsgiCallTest : PythonTest {
  void SetUp() override {
    run("class Pieces:\n"
        "  closed = 0\n"
        "  def __init__(self, *pieces): self.pieces = iter(pieces)\n"
        "  def __iter__(self): return self\n"
        "  def __next__(self):\n"
        "    piece = next(self.pieces)\n"
        "    if isinstance(piece, BaseException): raise piece\n"
        "    return piece\n"
        "  def close(self): Pieces.closed += 1\n");
  }
  void TearDown() override {
    call.reset();
    PythonTest::TearDown();
  }

  // Defines the application: the body of app(environ, start), indented by two.
  void define(const std::string& body) { run("def app(environ, start):\n" + body); }
  void make_call() {
    call = std::make_unique<WsgiCall>(global("app"), Owned::steal(PyDict_New()), quirks, sink);
  }
  // Steps to the end. What was logged goes to `logged`.
  Step finish_call() {
    testing::internal::CaptureStderr();
    Step step = call->start();
    while (step == Step::kMore) {
      step = call->next();
    }
    logged = testing::internal::GetCapturedStderr();
    EXPECT_EQ(PyErr_Occurred(), nullptr);
    return step;
  }
  Step serve(const std::string& body) {
    define(body);
    make_call();
    return finish_call();
  }
  long closed() { return PyLong_AsLong(eval("Pieces.closed").get()); }
  bool logged_says(const std::string& text) const {
    return logged.starts_with("ERROR:    Exception in WSGI application\n") &&
           logged.find(text) != std::string::npos;
  }

  http::Quirks quirks;
  NotingSink sink;
  std::unique_ptr<WsgiCall> call;
  std::string logged;
};

}  // namespace overbite::python
