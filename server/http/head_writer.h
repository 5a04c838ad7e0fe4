// A response head as bytes, in the reference's order: status line, date, server, the application's
// fields (names lower-cased, values untouched), "connection: close", "transfer-encoding: chunked".
#pragma once

#include <string>
#include <string_view>

#include "server/http/framing.h"
#include "server/http/reason.h"
#include "server/http/response_head.h"

namespace overbite::http {

// The default fields, each with its line end: "date: ...\r\nserver: uvicorn\r\n".
std::string default_fields(std::string_view date);

// Appends the head, blank line included. `defaults` as from default_fields().
void write_head(const ResponseHead& head,
                const Framing& framing,
                const ReasonTable& reasons,
                std::string_view defaults,
                std::string& out);

// "<size in hex>\r\n<data>\r\n"; nothing for empty data, which would end the body.
void write_chunk(std::string_view data, std::string& out);
void write_last_chunk(std::string& out);

// The whole answer to a malformed request, and to one whose body is too large for the application.
std::string bad_request(std::string_view defaults);
std::string content_too_large(std::string_view defaults);

}  // namespace overbite::http
