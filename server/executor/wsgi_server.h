// Serving a WSGI application, on the blocking pool or inline.
#pragma once

#include "server/executor/serve.h"
#include "server/net/listener.h"
#include "server/request/response_state.h"

namespace overbite::executor {

// Main thread, attached. Returns an exit status when everything has ended.
int serve_wsgi(const ServeOptions& options,
               python::Borrowed application,
               const request::ResponseRules& rules,
               net::BoundSocket socket);

}  // namespace overbite::executor
