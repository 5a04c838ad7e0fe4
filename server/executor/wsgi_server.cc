#include "server/executor/wsgi_server.h"

#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "server/base/limits.h"
#include "server/base/log.h"
#include "server/executor/asgi_server.h"
#include "server/executor/blocking_pool.h"
#include "server/executor/inline_wsgi.h"
#include "server/executor/loop_thread.h"
#include "server/executor/signals.h"

namespace overbite::executor {

namespace {

int serve_inline(const WsgiApplication& application,
                 const ServeOptions& options,
                 net::BoundSocket socket) {
  net::EventLoop events;
  std::optional<python::Detached> detached;
  events.before_wait = [&detached] { detached.emplace(); };
  events.after_wait = [&detached] { detached.reset(); };
  InlineWsgi port(application);
  request::Hub hub(events, port, application.rules, options.times());
  announce_running(socket.host, socket.port);
  hub.listen(std::move(socket));
  const StopSignals signals([&hub] { hub.request_stop(); }, options.shutdown_bound_ms());
  hub.run();
  return kExitServed;
}

int serve_pool(const WsgiApplication& application,
               const ServeOptions& options,
               net::BoundSocket socket) {
  const python::Detached detached;
  handoff::Lane lane(lane_sizes());
  auto pool = std::make_unique<BlockingPool>(lane, application, options.blocking_threads);
  const std::string host = socket.host;
  const int port = socket.port;
  {
    LoopThread thread(
        std::move(socket), application.rules, options.times(), [&](net::EventLoop& events) {
          return std::make_unique<PoolPort>(events, lane, *pool);
        });
    const StopSignals signals([&thread] { thread.request_stop(); }, options.shutdown_bound_ms());
    announce_running(host, port);
    while (!pool->wait_closed(limits::kHeartbeatMs)) {
      pool->beat();
    }
    thread.join();
  }
  if (!pool->wait_ended(limits::kShutdownMarginMs)) {
    // Their threads cannot be ended from outside, and the interpreter cannot be left cleanly while
    // they run in it.
    base::log(base::Level::kWarning, "The application still runs in a pool thread: left behind.");
    leave_at_once();
  }
  pool.reset();
  return kExitServed;
}

}  // namespace

int serve_wsgi(const ServeOptions& options,
               python::Borrowed application,
               const request::ResponseRules& rules,
               net::BoundSocket socket) {
  const bool inline_calls = options.blocking_threads == 0;
  const auto environ = python::EnvironTemplate::make("", !inline_calls, rules.quirks);
  if (!environ) {
    python::log_line(base::Level::kError, environ.error());
    return kExitCannotStart;
  }
  const WsgiApplication shared{application, environ.value(), rules};
  return inline_calls ? serve_inline(shared, options, std::move(socket))
                      : serve_pool(shared, options, std::move(socket));
}

}  // namespace overbite::executor
