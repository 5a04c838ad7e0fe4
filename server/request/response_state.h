// One response, from the application's first word to its last: the state machine that turns heads
// and body pieces into bytes, and says what the application got wrong. It knows neither sockets nor
// Python; every executor drives the same one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "server/base/result.h"
#include "server/http/framing.h"
#include "server/http/head_writer.h"
#include "server/http/quirks.h"
#include "server/http/reason.h"
#include "server/http/response_head.h"
#include "server/request/request.h"

namespace overbite::request {

// What all responses share; outlives them.
struct ResponseRules {
  http::Quirks quirks;
  http::ReasonTable reasons;
};

class ResponseState {
 public:
  // Reads the request's method, version, persistence and date; keeps no pointer to it.
  ResponseState(const ResponseRules& rules, const Request& request);

  bool started() const { return started_; }
  bool complete() const { return complete_; }
  // Whether the connection ends with this response.
  bool close() const { return framing_.close; }

  // The head. The response counts as started even when the head is refused, as in the reference.
  base::Result<> start(const http::ResponseHead& head, std::string& out);
  // The head could not even be read: the response counts as started, and nothing can be sent.
  void refuse();
  // The server is stopping: a head that is not out yet says so.
  void drain() { input_.draining = true; }
  // A piece of the body; `more` false ends it. On an error nothing of the piece was appended, but
  // for a body that ends short of its Content-Length: that piece was.
  base::Result<> body(std::string_view piece, bool more, std::string& out);
  // The answer when the application failed before it started: a whole 500, connection closed.
  void internal_error(std::string& out);

 private:
  base::Result<> counted_piece(std::string_view piece, bool more, std::string& out);

  const ResponseRules& rules_;
  http::FramingInput input_;
  std::string date_;
  http::Framing framing_;
  std::int64_t left_bytes_ = 0;  // of the announced Content-Length
  bool started_ = false;
  bool refused_ = false;
  bool complete_ = false;
};

}  // namespace overbite::request
