#include "server/executor/asgi_server.h"

#include <memory>
#include <string>
#include <utility>

#include "server/base/log.h"
#include "server/executor/asgi_executor.h"
#include "server/executor/lane_port.h"
#include "server/executor/loop_thread.h"
#include "server/executor/signals.h"
#include "server/python/interpreter.h"
#include "server/python/lifespan.h"

namespace overbite::executor {

using python::Borrowed;
using python::Owned;

namespace {

// Seconds the tasks that are still running after the drain have to end once they are cancelled.
constexpr double kCancelSeconds = 2.0;

// A new event loop, set as the thread's; null with an exception set.
Owned new_event_loop(ServeOptions::EventLoop kind) {
  const Owned asyncio = Owned::steal(PyImport_ImportModule("asyncio"));
  if (!asyncio) {
    return Owned();
  }
  Owned maker;
  if (kind != ServeOptions::EventLoop::kAsyncio) {
    maker = Owned::steal(PyImport_ImportModule("uvloop"));
    if (!maker && kind == ServeOptions::EventLoop::kUvloop) {
      return Owned();
    }
    PyErr_Clear();  // auto: asyncio will do
  }
  Owned loop =
      Owned::steal(PyObject_CallMethod((maker ? maker : asyncio).get(), "new_event_loop", nullptr));
  if (!loop ||
      !Owned::steal(PyObject_CallMethod(asyncio.get(), "set_event_loop", "O", loop.get()))) {
    return Owned();
  }
  return loop;
}

bool run_until_complete(Borrowed loop, const Owned& awaitable) {
  return awaitable &&
         Owned::steal(PyObject_CallMethod(loop.get(), "run_until_complete", "O", awaitable.get()));
}

// What is left after the drain (background work behind a response, tasks of the application's own)
// is cancelled, as asyncio.run does it, and waited for within a bound.
void close_event_loop(Borrowed loop) {
  const Owned asyncio = Owned::steal(PyImport_ImportModule("asyncio"));
  const Owned tasks =
      asyncio ? Owned::steal(PyObject_CallMethod(asyncio.get(), "all_tasks", "O", loop.get()))
              : Owned();
  if (tasks && PySet_Size(tasks.get()) > 0) {
    const Owned iterator = Owned::steal(PyObject_GetIter(tasks.get()));
    while (const Owned task = Owned::steal(PyIter_Next(iterator.get()))) {
      Owned::steal(PyObject_CallMethod(task.get(), "cancel", nullptr));
    }
    const Owned wait = Owned::steal(PyObject_GetAttrString(asyncio.get(), "wait"));
    const Owned arguments = Owned::steal(Py_BuildValue("(O)", tasks.get()));
    const Owned keywords = Owned::steal(Py_BuildValue("{sd}", "timeout", kCancelSeconds));
    run_until_complete(loop,
                       Owned::steal(PyObject_Call(wait.get(), arguments.get(), keywords.get())));
  }
  if (PyErr_Occurred() != nullptr) {
    python::log_exception("Exception while cancelling what was left");
  }
  run_until_complete(loop,
                     Owned::steal(PyObject_CallMethod(loop.get(), "shutdown_asyncgens", nullptr)));
  Owned::steal(PyObject_CallMethod(loop.get(), "close", nullptr));
  if (PyErr_Occurred() != nullptr) {
    python::log_exception("Exception while closing the event loop");
  }
}

// The loop thread and the executor, from the first request to the last.
base::Result<> serve_requests(handoff::Lane& lane,
                              AsgiExecutor& executor,
                              const request::ResponseRules& rules,
                              const ServeOptions& options,
                              net::BoundSocket socket) {
  const std::string host = socket.host;
  const int port = socket.port;
  LoopThread thread(std::move(socket), rules, options.times(), [&](net::EventLoop& events) {
    return std::make_unique<LanePort>(events, lane);
  });
  const StopSignals signals([&thread] { thread.request_stop(); }, options.shutdown_bound_ms());
  announce_running(host, port);
  auto ran = executor.run();
  if (!ran) {
    thread.request_stop();
    thread.request_stop();
  }
  const python::Detached detached;
  thread.join();
  return ran;
}

}  // namespace

int serve_asgi(const ServeOptions& options,
               Borrowed application,
               const request::ResponseRules& rules,
               net::BoundSocket socket) {
  const auto fail = [](const std::string& reason) {
    python::log_line(base::Level::kError, reason);
    return kExitCannotStart;
  };
  if (const auto registered = python::register_cycle_types(); !registered) {
    return fail(registered.error());
  }
  const auto scope = python::ScopeTemplate::make("", socket.host, socket.port);
  if (!scope) {
    return fail(scope.error());
  }
  const Owned loop = new_event_loop(options.loop);
  if (!loop) {
    return fail("cannot make the event loop: " + python::take_exception_line());
  }
  python::Lifespan lifespan(loop.borrow(), application, options.lifespan);
  if (!lifespan.startup()) {
    close_event_loop(loop.borrow());
    return kExitLifespanFailed;
  }
  auto lane = std::make_unique<handoff::Lane>(lane_sizes());
  auto executor = std::make_unique<AsgiExecutor>(
      *lane, rules, scope.value(), loop.borrow(), application, lifespan.state());
  const auto served = serve_requests(*lane, *executor, rules, options, std::move(socket));
  int status = served ? kExitServed : fail(served.error());
  if (!lifespan.shutdown() && status == kExitServed) {
    status = kExitLifespanFailed;  // guard: failed-shutdown-unsaid
  }
  close_event_loop(loop.borrow());
  if (!executor->idle()) {
    // A coroutine that ignored its cancellation may still be closed when the interpreter ends, and
    // then reaches for the executor: both are left to the process.
    python::log_line(base::Level::kWarning, "An application's coroutine did not end: left behind.");
    [[maybe_unused]] auto* const left_executor = executor.release();
    [[maybe_unused]] auto* const left_lane = lane.release();
  }
  return status;
}

}  // namespace overbite::executor
