// overbite-serve: the command line.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <map>
#include <string>

#include "server/base/limits.h"
#include "server/executor/serve.h"
#include "tests/support/loaded_library.h"

namespace {

using overbite::executor::ServeOptions;
using overbite::python::Interface;
using overbite::python::LifespanMode;

constexpr char kFooter[] =
    "Exit status: 0 served (after SIGTERM the process ends by that signal), 1 cannot start (the\n"
    "application, the port or the event loop), 2 wrong usage, 3 the application's startup or\n"
    "shutdown failed.\n"
    "The virtual environment in $VIRTUAL_ENV is used when it is set.";

// When a connection, an application or the server ends.
void add_ending_options(CLI::App& app, ServeOptions& options) {
  app.add_option("--timeout-graceful-shutdown",
                 options.shutdown_grace_s,
                 "Seconds from SIGTERM until what still runs is cut off. Applications that stream "
                 "are told by http.disconnect after half of it; the process ends at most two "
                 "seconds behind it, whatever the application does")
      ->check(CLI::Range(0, overbite::limits::kShutdownGraceMaxS))
      ->capture_default_str();
  app.add_option("--timeout-keep-alive",
                 options.keep_alive_s,
                 "Seconds after which a connection without a request is closed")
      ->check(CLI::Range(0, overbite::limits::kKeepAliveMaxS))
      ->capture_default_str();
  app.add_option("--lifespan",
                 options.lifespan,
                 "Whether an ASGI application is told of startup and shutdown: auto (one that "
                 "raises is served without), on (one that raises is not served) or off")
      ->transform(CLI::CheckedTransformer(std::map<std::string, LifespanMode>{
          {"auto", LifespanMode::kAuto}, {"on", LifespanMode::kOn}, {"off", LifespanMode::kOff}}))
      ->default_str("auto");
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Serve an ASGI or WSGI application over HTTP/1.1."};
  app.footer(kFooter);
  ServeOptions options;
  std::string quirks = "none";
  app.set_version_flag("--version", [] {
    return fmt::format(
        "overbite-serve {}\n{}", OVERBITE_VERSION, overbite::support::loaded_library_line());
  });
  app.add_option("application", options.application, "MODULE:ATTRIBUTE of the application")
      ->required();
  std::string interface = "auto";
  app.add_option("--interface", interface, "auto, asgi or wsgi")
      ->check(CLI::IsMember({"auto", "asgi", "wsgi"}))
      ->capture_default_str();
  app.add_option("--host", options.host, "Address to listen on")->capture_default_str();
  app.add_option("--port", options.port, "Port to listen on; 0 picks a free one")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
  app.add_option("--blocking-threads",
                 options.blocking_threads,
                 "Threads that run a WSGI application; 0: on the loop itself")
      ->check(CLI::Range(0, overbite::limits::kBlockingThreadsMax))
      ->capture_default_str();
  app.add_option(
         "--loop", options.loop, "Event loop of an ASGI application: auto, asyncio or uvloop")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, ServeOptions::EventLoop>{
              {"auto", ServeOptions::EventLoop::kAuto},
              {"asyncio", ServeOptions::EventLoop::kAsyncio},
              {"uvloop", ServeOptions::EventLoop::kUvloop}},
          CLI::ignore_case))
      ->default_str("auto");
  app.add_option(
         "--quirks",
         quirks,
         "Faults of the reference to reproduce: none, uvicorn (all of them), or names with commas")
      ->capture_default_str();
  app.add_option(
         "--app-dir", options.app_dir, "Where the module is looked for first (default: here)")
      ->check(CLI::ExistingDirectory);
  add_ending_options(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : overbite::executor::kExitUsage;
  }
  const auto parsed = overbite::http::Quirks::parse(quirks);
  if (!parsed) {
    fmt::print(stderr, "--quirks: {}\n", parsed.error());
    return overbite::executor::kExitUsage;
  }
  options.quirks = parsed.value();
  return overbite::executor::serve(options);
}
