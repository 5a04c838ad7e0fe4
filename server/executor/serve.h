// The whole server, from options to exit status.
#pragma once

#include <cstdint>
#include <string>

#include "server/base/limits.h"
#include "server/http/quirks.h"
#include "server/python/interpreter.h"
#include "server/python/lifespan.h"
#include "server/request/hub.h"

namespace overbite::executor {

struct ServeOptions {
  std::string application;  // "module:attribute"
  python::Interface interface = python::Interface::kAuto;
  std::string host = "127.0.0.1";
  int port = 8000;
  int blocking_threads = 4;  // 0: inline
  enum class EventLoop { kAuto, kAsyncio, kUvloop } loop = EventLoop::kAuto;
  http::Quirks quirks;
  std::string app_dir;
  int shutdown_grace_s = limits::kShutdownGraceDefaultS;
  int keep_alive_s = limits::kKeepAliveDefaultMs / 1000;
  python::LifespanMode lifespan = python::LifespanMode::kAuto;

  request::Times times() const {
    return {std::int64_t{shutdown_grace_s} * 1000, std::int64_t{keep_alive_s} * 1000};
  }
  // When the process ends whatever the application does: what was cut off has had time to end.
  std::int64_t shutdown_bound_ms() const { return times().grace_ms + limits::kShutdownMarginMs; }
};

// Documented in --help.
enum ExitStatus : int {
  kExitServed = 0,
  kExitCannotStart = 1,  // application, port or event loop
  kExitUsage = 2,
  kExitLifespanFailed = 3,  // the application's startup or shutdown failed
};

// Main thread. Serves until SIGINT or SIGTERM, then drains. After a SIGTERM the process ends by
// that signal (as uvicorn does), so it does not return.
int serve(const ServeOptions& options);

}  // namespace overbite::executor
