// How a WSGI call ends, and what it leaves behind.
#include "tests/python/wsgi_call_test.h"

namespace overbite::python {
namespace {

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
