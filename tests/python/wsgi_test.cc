#include "tests/python/wsgi_call_test.h"

namespace overbite::python {
namespace {

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
  EXPECT_EQ(sink.noted, "200 [a]!![b]end");
}

TEST_F(WsgiCallTest, WriteHandsOverBeforeItReturns) {
  EXPECT_EQ(serve("  write = start('200 OK', [])\n  write(b'a')\n  write(b'b')\n  return []\n"),
            Step::kFinished);
  EXPECT_EQ(sink.noted, "200 [a]![b]!end") << "what was written waits for the application";
}

TEST_F(WsgiCallTest, WriteRaisesOnceTheClientIsGone) {
  sink.refuse_now = NotingSink::Refusal::kGone;
  EXPECT_EQ(serve("  write = start('200 OK', [])\n  for _ in range(9): write(b'a')\n"),
            Step::kGone);
  EXPECT_EQ(sink.noted, "200 [a]!") << "it writes on for a client that is gone";
  EXPECT_EQ(logged, "") << "that a client leaves is no error";
}

TEST_F(WsgiCallTest, AnErrorOfItsOwnIsLoggedThoughTheClientIsGone) {
  sink.refuse_now = NotingSink::Refusal::kGone;
  EXPECT_EQ(serve("  write = start('200 OK', [])\n"
                  "  try: write(b'a')\n"
                  "  except BrokenPipeError: raise ValueError('broken')\n"),
            Step::kFailed);
  EXPECT_TRUE(logged_says("ValueError: broken\n")) << logged;
}

TEST_F(WsgiCallTest, WriteBelongsToTheThreadOfTheCall) {
  EXPECT_EQ(serve("  import threading\n"
                  "  errors = []\n"
                  "  write = start('200 OK', [])\n"
                  "  def other():\n"
                  "    try: write(b'a')\n"
                  "    except RuntimeError as error: errors.append(str(error))\n"
                  "  thread = threading.Thread(target=other)\n"
                  "  thread.start()\n"
                  "  thread.join()\n"
                  "  return [e.encode() for e in errors]\n"),
            Step::kFinished);
  EXPECT_EQ(sink.noted, "200 [write() was called from another thread than the application]end");
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
  EXPECT_EQ(serve("  try: start('200 OK', [])(b'y')\n"
                  "  except BrokenPipeError: return Pieces(b'never')\n"),
            Step::kGone);
  EXPECT_EQ(sink.noted, "200 [x]200 [y]");
  EXPECT_EQ(closed(), 2);
  EXPECT_EQ(logged, "");
}

// --- close() ------------------------------------------------------------------------------------

}  // namespace
}  // namespace overbite::python
