// Serving an ASGI application: loop thread, executor on the calling thread, lifespan around both.
#pragma once

#include "server/executor/serve.h"
#include "server/net/listener.h"
#include "server/request/response_state.h"

namespace overbite::executor {

// Says on stderr where the server accepts.
void announce_running(const std::string& host, int port);

// Main thread, attached. Returns an exit status when everything has ended.
int serve_asgi(const ServeOptions& options,
               python::Borrowed application,
               const request::ResponseRules& rules,
               net::BoundSocket socket);

}  // namespace overbite::executor
