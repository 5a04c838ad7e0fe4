// Where the reference (uvicorn 0.54.0 with httptools 0.9.0) breaks a MUST or loses data, the
// default here is right, and the reference's behaviour is one named switch.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "server/base/result.h"

namespace overbite::http {

// One bool a quirk; the name on the command line is the field's with '-' for '_'.
struct Quirks {
  bool drop_half_closed = false;    // a client that shut its sending side gets no answer
  bool eager_400 = false;           // a bad pipelined request erases the answers before it
  bool length_and_chunked = false;  // app's Content-Length beside Transfer-Encoding (RFC 9112 6.2)
  bool double_transfer_encoding = false;  // "transfer-encoding: chunked" added beside the app's own
  bool double_content_length = false;     // the app's repeated equal Content-Length all sent
  bool loose_content_length = false;      // int() rules for the app's Content-Length: +5, 0_5, -1
  bool chunked_to_1_0 = false;        // chunked coding sent to an HTTP/1.0 client (RFC 9112 6.1)
  bool body_with_204 = false;         // body bytes after a 204 or 304 that has a Content-Length
  bool interim_as_final = false;      // an app's status 100..199 sent as a final response
  bool continue_to_1_0 = false;       // 100 (Continue) sent to HTTP/1.0 (RFC 9110 10.1.1)
  bool late_error_closes = false;     // an error after a complete response closes the connection
  bool upgrade_drops_body = false;    // an offer to upgrade loses the request's body (RFC 9110 7.8)
  bool host_unchecked = false;        // missing or repeated Host accepted (RFC 9112 3.2)
  bool trailing_blanks_kept = false;  // blanks behind a field value kept (RFC 9112 5.1)
  bool wsgi_standard_reason = false;  // the app's own reason phrase replaced (PEP 3333)
  bool wsgi_exc_info_ignored =
      false;  // start_response(exc_info) does not replace the head (PEP 3333)
  bool wsgi_early_head =
      false;  // the head is final at start_response, not at the first body byte (PEP 3333)
  bool wsgi_comma_cookies = false;  // request cookies joined by "," and not "; " (RFC 6265 5.4)

  // "none", "uvicorn" (all), or names separated by commas. The error names the unknown one.
  static base::Result<Quirks> parse(std::string_view list);
  static std::vector<std::string> names();
};

}  // namespace overbite::http
