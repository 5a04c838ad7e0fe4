#include "server/python/wsgi.h"

#include "tests/python/python_test.h"

namespace overbite::python {
namespace {

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

  enum class Refusal { kNone, kError, kGone };
  Refusal refuse_head = Refusal::kNone;
  Refusal refuse_body = Refusal::kNone;
  Refusal refuse_end = Refusal::kNone;
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

TEST_F(WsgiCallTest, SendsTheHeadThePiecesAndTheEnd) {
  EXPECT_EQ(serve("  start('200 OK', [('X-A', '1')])\n  return [b'one', b'', b'two']\n"),
            Step::kFinished);
  EXPECT_EQ(sink.noted, "200 x-a=1 [one][two]end");
  EXPECT_EQ(logged, "");
  EXPECT_TRUE(call->head_sent());
}

TEST_F(WsgiCallTest, SendsTheHeadBeforeTheEndOfAnEmptyBody) {
  EXPECT_EQ(serve("  start('204 No Content', [])\n  return []\n"), Step::kFinished);
  EXPECT_EQ(sink.noted, "204 end");
}

TEST_F(WsgiCallTest, TakesBytearraysAndMemoryviews) {
  EXPECT_EQ(serve("  start('200 OK', [])\n  return (bytearray(b'a'), memoryview(b'b'))\n"),
            Step::kFinished);
  EXPECT_EQ(sink.noted, "200 [a][b]end");
}

TEST_F(WsgiCallTest, KnowsWhatLiesInMemory) {
  define("  start('200 OK', [])\n  return [b'a']\n");
  make_call();
  EXPECT_FALSE(call->rest_is_ready());
  EXPECT_EQ(call->start(), Step::kMore);
  EXPECT_TRUE(call->rest_is_ready());
  define("  start('200 OK', [])\n  return Pieces(b'a')\n");
  make_call();
  EXPECT_EQ(call->start(), Step::kMore);
  EXPECT_FALSE(call->rest_is_ready());
}

TEST_F(WsgiCallTest, HoldsTheHeadBackUntilAPieceHasBytes) {
  define("  start('200 OK', [])\n  return Pieces(b'', b'x')\n");
  make_call();
  EXPECT_EQ(call->start(), Step::kMore);
  EXPECT_EQ(call->next(), Step::kMore);
  EXPECT_EQ(sink.noted, "");
  EXPECT_FALSE(call->head_sent());
  EXPECT_EQ(call->next(), Step::kMore);
  EXPECT_EQ(sink.noted, "200 [x]");
}

TEST_F(WsgiCallTest, AGeneratorMayStartItsResponseLate) {
  EXPECT_EQ(serve("  yield b''\n  start('200 OK', [])\n  yield b'x'\n"), Step::kFinished);
  EXPECT_EQ(sink.noted, "200 [x]end");
}

TEST_F(WsgiCallTest, WriteComesBeforeWhatIsReturned) {
  EXPECT_EQ(serve("  write = start('200 OK', [])\n  write(b'a')\n  write(b'')\n  return [b'b']\n"),
            Step::kFinished);
  EXPECT_EQ(sink.noted, "200 [a][b]end");
}

TEST_F(WsgiCallTest, TakesTheArgumentsByName) {
  EXPECT_EQ(serve("  start(status='200 OK', response_headers=[], exc_info=None)\n  return []\n"),
            Step::kFinished);
}

TEST_F(WsgiCallTest, AFailingApplicationIsLogged) {
  EXPECT_EQ(serve("  raise ValueError('broken')\n"), Step::kFailed);
  EXPECT_EQ(sink.noted, "");
  EXPECT_FALSE(call->head_sent());
  EXPECT_TRUE(logged_says("in app\nValueError: broken\n")) << logged;
}

TEST_F(WsgiCallTest, SystemExitEndsTheRequestOnly) {
  EXPECT_EQ(serve("  raise SystemExit(3)\n"), Step::kFailed);
  EXPECT_TRUE(logged_says("SystemExit: 3")) << logged;
}

TEST_F(WsgiCallTest, AResponseWithoutAStatusFails) {
  for (const char* const result : {"[b'x']", "[]", "Pieces(b'', b'x')"}) {
    EXPECT_EQ(serve(std::string("  return ") + result + "\n"), Step::kFailed) << result;
    EXPECT_TRUE(logged_says("AssertionError: the application gave no status")) << logged;
  }
  EXPECT_EQ(sink.noted, "");
}

TEST_F(WsgiCallTest, WhatIsNoBodyFails) {
  for (const char* const result : {"None", "7", "['text']", "'text'", "[None]", "b'abc'"}) {
    EXPECT_EQ(serve(std::string("  start('200 OK', [])\n  return ") + result + "\n"), Step::kFailed)
        << result;
    EXPECT_TRUE(logged_says("TypeError: ")) << logged;
  }
  EXPECT_EQ(sink.noted, "");
}

TEST_F(WsgiCallTest, RefusedFieldsRaiseInTheApplication) {
  EXPECT_EQ(serve("  try: start('200 OK', [('a', 'b\\r\\nc: d')])\n"
                  "  except RuntimeError as error: message = str(error).encode()\n"
                  "  start('200 OK', [])\n"
                  "  return [message]\n"),
            Step::kFinished);
  EXPECT_EQ(sink.noted, "200 [Invalid HTTP header value.]end");
}

// --- start_response once more -------------------------------------------------------------------

constexpr char kStartsTwice[] =
    "  import sys\n"
    "  start('200 OK', [('X-First', '1')])\n"
    "  try: raise ValueError('found late')\n"
    "  except ValueError: start('500 Oh', [('X-Second', '2')], sys.exc_info())\n"
    "  return [b'x']\n";

TEST_F(WsgiCallTest, ASecondStartNeedsAnError) {
  EXPECT_EQ(serve("  start('200 OK', [])\n  start('200 OK', [])\n  return [b'x']\n"),
            Step::kFailed);
  EXPECT_TRUE(logged_says("AssertionError: start_response() was called a second time")) << logged;
}

TEST_F(WsgiCallTest, AnErrorReplacesTheHeadThatWasNotSent) {
  EXPECT_EQ(serve(kStartsTwice), Step::kFinished);
  EXPECT_EQ(sink.noted, "500 x-second=2 [x]end");
}

TEST_F(WsgiCallTest, AnErrorComesBackOnceTheHeadWasSent) {
  EXPECT_EQ(serve("  import sys\n"
                  "  yield_first = start('200 OK', [])\n"
                  "  yield b'x'\n"
                  "  try: raise ValueError('found late')\n"
                  "  except ValueError: start('500 Oh', [], sys.exc_info())\n"
                  "  yield b'never'\n"),
            Step::kFailed);
  EXPECT_EQ(sink.noted, "200 [x]");
  EXPECT_TRUE(call->head_sent());
  EXPECT_TRUE(logged_says("ValueError: found late")) << logged;
}

TEST_F(WsgiCallTest, WhatIsNoErrorIsRefused) {
  EXPECT_EQ(serve("  start('200 OK', [])(b'x')\n  start('500 Oh', [], 'text')\n  return []\n"),
            Step::kFailed);
  EXPECT_TRUE(logged_says("TypeError: exc_info must be a tuple")) << logged;
}

TEST_F(WsgiCallTest, TheFirstStartWinsUnderTheReferencesRules) {
  quirks.wsgi_exc_info_ignored = true;
  EXPECT_EQ(serve(kStartsTwice), Step::kFinished);
  EXPECT_EQ(sink.noted, "200 x-first=1 [x]end");
  sink.noted.clear();
  EXPECT_EQ(serve("  start('200 OK', [])\n  start('404 No', [])\n  return [b'x']\n"),
            Step::kFinished);
  EXPECT_EQ(sink.noted, "200 [x]end");
}

TEST_F(WsgiCallTest, TheHeadGoesAtOnceUnderTheReferencesRules) {
  quirks.wsgi_early_head = true;
  define("  start('200 OK', [])\n  return Pieces(b'x')\n");
  make_call();
  EXPECT_EQ(call->start(), Step::kMore);
  EXPECT_EQ(sink.noted, "200 ");
  EXPECT_TRUE(call->head_sent());
}

TEST_F(WsgiCallTest, AnEmptyPieceNeedsTheHeadUnderTheReferencesRules) {
  quirks.wsgi_early_head = true;
  EXPECT_EQ(serve("  yield b''\n  start('200 OK', [])\n  yield b'x'\n"), Step::kFailed);
  EXPECT_TRUE(logged_says("AssertionError: the application gave no status")) << logged;
}

// --- the sink -----------------------------------------------------------------------------------

TEST_F(WsgiCallTest, ARefusedHeadOrPieceOrEndFailsAndCloses) {
  for (auto NotingSink::* const refusal :
       {&NotingSink::refuse_head, &NotingSink::refuse_body, &NotingSink::refuse_end}) {
    sink = NotingSink();
    sink.*refusal = NotingSink::Refusal::kError;
    EXPECT_EQ(serve("  start('200 OK', [])\n  return Pieces(b'x')\n"), Step::kFailed);
    EXPECT_TRUE(logged_says("RuntimeError: the sink refuses")) << logged;
  }
  EXPECT_EQ(closed(), 3);
}

TEST_F(WsgiCallTest, AWriteSeesTheRefusal) {
  sink.refuse_body = NotingSink::Refusal::kError;
  EXPECT_EQ(serve("  try: start('200 OK', [])(b'x')\n"
                  "  except RuntimeError: return []\n"
                  "  return [b'never']\n"),
            Step::kFinished);
  EXPECT_EQ(sink.noted, "200 [x]end");
}

TEST_F(WsgiCallTest, StopsQuietlyWhenTheClientIsGone) {
  sink.refuse_body = NotingSink::Refusal::kGone;
  EXPECT_EQ(serve("  start('200 OK', [])\n  return Pieces(b'x', b'never')\n"), Step::kGone);
  EXPECT_EQ(serve("  start('200 OK', [])(b'y')\n  return Pieces(b'never')\n"), Step::kGone);
  EXPECT_EQ(sink.noted, "200 [x]200 [y]");
  EXPECT_EQ(closed(), 2);
  EXPECT_EQ(logged, "");
}

// --- close() ------------------------------------------------------------------------------------

TEST_F(WsgiCallTest, ClosesTheIterableAfterTheLastPiece) {
  EXPECT_EQ(serve("  start('200 OK', [])\n  return Pieces(b'x')\n"), Step::kFinished);
  EXPECT_EQ(closed(), 1);
  call.reset();
  EXPECT_EQ(closed(), 1);
}

TEST_F(WsgiCallTest, ClosesTheIterableThatFails) {
  EXPECT_EQ(serve("  start('200 OK', [])\n  return Pieces(b'x', ValueError('broken'))\n"),
            Step::kFailed);
  call.reset();
  EXPECT_EQ(closed(), 1) << "close() of the iterable that failed was not called once";
  EXPECT_TRUE(logged_says("ValueError: broken")) << logged;
}

TEST_F(WsgiCallTest, ClosesWhatCannotBeIterated) {
  run("class Closable:\n  def close(self): Pieces.closed += 1\n");
  EXPECT_EQ(serve("  start('200 OK', [])\n  return Closable()\n"), Step::kFailed);
  EXPECT_EQ(closed(), 1);
}

TEST_F(WsgiCallTest, ClosesTheIterableOfACallThatIsAbandoned) {
  define("  start('200 OK', [])\n  return Pieces(b'x', b'y')\n");
  make_call();
  EXPECT_EQ(call->start(), Step::kMore);
  EXPECT_EQ(call->next(), Step::kMore);
  EXPECT_EQ(closed(), 0);
  call.reset();
  EXPECT_EQ(closed(), 1);
}

TEST_F(WsgiCallTest, AFailingCloseIsLoggedAndTheResponseStands) {
  run("class Bad(Pieces):\n  def close(self): raise ValueError('in close')\n");
  EXPECT_EQ(serve("  start('200 OK', [])\n  return Bad(b'x')\n"), Step::kFinished);
  EXPECT_EQ(sink.noted, "200 [x]end");
  EXPECT_TRUE(logged_says("ValueError: in close")) << logged;
}

// --- what the application keeps -----------------------------------------------------------------

TEST_F(WsgiCallTest, ACallableKeptBeyondTheResponseRaises) {
  run("kept = []\n");
  EXPECT_EQ(serve("  kept.append(start)\n  kept.append(start('200 OK', []))\n  return []\n"),
            Step::kFinished);
  for (const bool destroyed : {false, true}) {
    if (destroyed) {
      call.reset();
    }
    for (const char* const late : {"kept[0]('200 OK', [])", "kept[1](b'x')"}) {
      run(std::string("try: ") + late + "\nexcept RuntimeError as error: message = str(error)\n");
      EXPECT_EQ(repr(global("message")), "'the response is over'") << late;
    }
  }
}

TEST_F(WsgiCallTest, AListMayShrinkWhileItIsRead) {
  run("pieces = [b'one', b'two', b'three']\n");
  define("  start('200 OK', [])\n  return pieces\n");
  make_call();
  EXPECT_EQ(call->start(), Step::kMore);
  EXPECT_EQ(call->next(), Step::kMore);
  run("pieces.clear()");
  EXPECT_EQ(call->next(), Step::kFinished);
  EXPECT_EQ(sink.noted, "200 [one]end");
}

TEST_F(WsgiCallTest, EachCallHasItsOwnContext) {
  run("import contextvars\nseen = []\nvar = contextvars.ContextVar('var', default='unset')\n");
  const char* const body =
      "  seen.append(var.get())\n"
      "  token = var.set('set')\n"
      "  start('200 OK', [])\n"
      "  yield b'x'\n"
      "  seen.append(var.get())\n"
      "  var.reset(token)\n";
  serve(body);
  serve(body);
  EXPECT_EQ(repr(global("seen")), "['unset', 'set', 'unset', 'set']");
  EXPECT_EQ(logged, "");
}

TEST_F(WsgiCallTest, ReleasesEveryPieceOfAGenerator) {
  run("piece = b'a piece that is yielded often'\n");
  define("  start('200 OK', [])\n  for _ in range(100): yield piece\n");
  make_call();
  const Py_ssize_t before = Py_REFCNT(global("piece").get());
  EXPECT_EQ(finish_call(), Step::kFinished);
  EXPECT_EQ(Py_REFCNT(global("piece").get()), before)
      << "a piece is still referenced after it was sent";
}

TEST_F(WsgiCallTest, LeavesNothingBehind) {
  define("  write = start('200 OK', [('X-A', '1')])\n  write(b'w')\n  return Pieces(b'x', b'y')\n");
  const auto once = [&] {
    make_call();
    Step step = call->start();
    while (step == Step::kMore) {
      step = call->next();
    }
    ASSERT_EQ(step, Step::kFinished);
    sink.noted.clear();
  };
  EXPECT_LE(growth_over_10000_calls(once), kGrowthMax);
}

TEST_F(WsgiCallTest, LeavesNothingBehindWhenItFails) {
  define("  start('200 OK', [])\n  return Pieces(b'x', ValueError('broken'))\n");
  const auto once = [&] {
    make_call();
    Step step = call->start();
    while (step == Step::kMore) {
      step = call->next();
    }
    ASSERT_EQ(step, Step::kFailed);
    sink.noted.clear();
  };
  testing::internal::CaptureStderr();
  const long growth = growth_over_10000_calls(once);
  testing::internal::GetCapturedStderr();
  EXPECT_LE(growth, kGrowthMax);
}

}  // namespace
}  // namespace overbite::python
