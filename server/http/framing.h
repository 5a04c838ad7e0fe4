// The framing table: how a response's body is delimited, for every combination of request, status
// and what the application said of it (RFC 9112 6).
#pragma once

#include <cstdint>
#include <optional>

#include "server/base/result.h"
#include "server/http/quirks.h"
#include "server/http/response_head.h"

namespace overbite::http {

struct FramingInput {
  bool head_request = false;
  bool http_1_0 = false;
  bool keep_alive = true;  // the request's wish
  bool draining = false;   // the server is stopping: the connection closes after this response
};

enum class BodyFraming : std::uint8_t {
  kLength,  // exactly `length` bytes, counted
  kChunked,
  kUntilClose,  // everything up to the end of the connection (only towards HTTP/1.0)
  kNone,        // the application's body is dropped (HEAD; by default 204, 304 too)
  kEmpty,       // no body may come: 204/304 without Content-Length under the reference's rules; a
                // non-empty piece is the application's error
};

struct Framing {
  BodyFraming body = BodyFraming::kChunked;
  std::int64_t length = 0;              // for kLength
  bool add_chunked_field = false;       // write "transfer-encoding: chunked" at the end of the head
  bool add_close_field = false;         // write "connection: close" before it
  bool drop_content_length = false;     // leave the application's Content-Length out
  bool drop_transfer_encoding = false;  // leave the application's Transfer-Encoding out
  bool first_content_length_only = false;  // later equal ones are left out
  bool close = false;                      // the connection ends with this response
};

// The error is for the application: what its head got wrong (a Content-Length that is no number,
// two that differ, an interim status). Nothing is written then.
base::Result<Framing> decide_framing(const FramingInput& input,
                                     const ResponseHead& head,
                                     const Quirks& quirks);

}  // namespace overbite::http
