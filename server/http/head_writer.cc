#include "server/http/head_writer.h"

#include <fmt/format.h>

#include <charconv>
#include <iterator>

namespace overbite::http {
namespace {

constexpr std::string_view kLineEnd = "\r\n";

// An answer of the server's own: text/plain, and the connection ends with it.
std::string own_answer(std::string_view status_line,
                       std::string_view defaults,
                       std::string_view body) {
  return fmt::format(
      "HTTP/1.1 {}\r\n{}content-type: text/plain; charset=utf-8\r\ncontent-length: {}\r\n"
      "connection: close\r\n\r\n{}",
      status_line,
      defaults,
      body.size(),
      body);
}

void write_fields(const ResponseHead& head, const Framing& framing, std::string& out) {
  bool length_written = false;
  for (std::size_t i = 0; i < head.size(); ++i) {
    const FieldKind kind = head.field(i).kind;
    if (kind == FieldKind::kTransferEncoding && framing.drop_transfer_encoding) {
      continue;
    }
    if (kind == FieldKind::kContentLength) {
      if (framing.drop_content_length || (framing.first_content_length_only && length_written)) {
        continue;
      }
      length_written = true;
    }
    out.append(head.name(i)).append(": ").append(head.value(i)).append(kLineEnd);
  }
}

}  // namespace

std::string default_fields(std::string_view date) {
  return fmt::format("date: {}\r\nserver: uvicorn\r\n", date);
}

void write_head(const ResponseHead& head,
                const Framing& framing,
                const ReasonTable& reasons,
                std::string_view defaults,
                std::string& out) {
  const std::string_view phrase =
      head.own_reason ? std::string_view(head.reason) : reasons.phrase(head.status);
  fmt::format_to(std::back_inserter(out), "HTTP/1.1 {} {}\r\n", head.status, phrase);
  out.append(defaults);
  write_fields(head, framing, out);
  if (framing.add_close_field) {
    out.append("connection: close\r\n");
  }
  if (framing.add_chunked_field) {
    out.append("transfer-encoding: chunked\r\n");
  }
  out.append(kLineEnd);
}

void write_chunk(std::string_view data, std::string& out) {
  if (data.empty()) {  // guard: empty-piece-ends-body
    return;
  }
  char size[2 * sizeof(std::size_t)];
  const auto end =
      std::to_chars(size, std::end(size), data.size(), 16);  // guard: chunk-size-decimal
  out.append(size, end.ptr).append(kLineEnd).append(data).append(kLineEnd);
}

void write_last_chunk(std::string& out) { out.append("0\r\n\r\n"); }

std::string bad_request(std::string_view defaults) {
  return own_answer("400 Bad Request", defaults, "Invalid HTTP request received.");
}

std::string content_too_large(std::string_view defaults) {
  return own_answer("413 Content Too Large", defaults, "Content Too Large");
}

}  // namespace overbite::http
