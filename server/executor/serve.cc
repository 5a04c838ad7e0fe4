#include "server/executor/serve.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "server/base/limits.h"
#include "server/base/log.h"
#include "server/executor/asgi_server.h"
#include "server/executor/signals.h"
#include "server/executor/wsgi_server.h"
#include "server/python/cycle.h"
#include "server/python/reason_phrases.h"

namespace overbite::executor {

namespace {

int cannot_start(const std::string& reason) {
  base::log(base::Level::kError, reason);
  return kExitCannotStart;
}

int serve_attached(const ServeOptions& options) {
  auto application = python::import_application(options.application);
  if (!application) {
    return cannot_start(application.error());
  }
  static request::ResponseRules rules;  // a coroutine left behind may outlive this function
  rules.quirks = options.quirks;
  if (const auto loaded = python::load_reason_phrases(rules.reasons); !loaded) {
    return cannot_start(loaded.error());
  }
  auto socket = net::BoundSocket::bind(options.host, options.port);
  if (!socket) {
    return cannot_start(socket.error());
  }
  const python::Borrowed callable = application.value().borrow();
  const auto interface = options.interface == python::Interface::kAuto
                             ? python::detect_interface(callable)
                             : options.interface;
  base::log(base::Level::kInfo, fmt::format("Started server process [{}]", ::getpid()));
  const int status = interface == python::Interface::kAsgi
                         ? serve_asgi(options, callable, rules, std::move(socket.value()))
                         : serve_wsgi(options, callable, rules, std::move(socket.value()));
  base::log(base::Level::kInfo, fmt::format("Finished server process [{}]", ::getpid()));
  return status;
}

}  // namespace

void announce_running(const std::string& host, int port) {
  base::log(base::Level::kInfo,
            fmt::format("Overbite running on http://{}:{} (Press CTRL+C to quit)",
                        host.find(':') == std::string::npos ? host : "[" + host + "]",
                        port));
}

int serve(const ServeOptions& options) {
  const auto started = python::start_interpreter({.executable = {}, .app_dir = options.app_dir});
  if (!started) {
    return cannot_start(started.error());
  }
  int status = serve_attached(options);
  if (!python::stop_interpreter() && status == kExitServed) {
    status = kExitCannotStart;
  }
  if (status == kExitServed && StopSignals::caught() == SIGTERM) {
    std::raise(SIGTERM);
  }
  return status;
}

}  // namespace overbite::executor
