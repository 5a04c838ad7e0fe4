#include "server/request/response_state.h"

#include "server/base/check.h"

namespace overbite::request {

namespace {

constexpr std::string_view kInternalError = "Internal Server Error";

}  // namespace

ResponseState::ResponseState(const ResponseRules& rules, const Request& request)
    : rules_(rules), date_(request.date) {
  input_.head_request = request.head->is_head();
  input_.http_1_0 = request.head->is_1_0();  // guard: chunks-to-http-0-9
  input_.keep_alive = request.head->keep_alive;
  input_.draining = request.draining;
  framing_.close = !input_.keep_alive;
}

base::Result<> ResponseState::start(const http::ResponseHead& head, std::string& out) {
  CHECK(!started_);
  started_ = true;
  auto framing = http::decide_framing(input_, head, rules_.quirks);
  if (!framing) {
    refuse();
    return base::Error{framing.error()};
  }
  framing_ = framing.value();
  left_bytes_ = framing_.length;
  http::write_head(head, framing_, rules_.reasons, http::default_fields(date_), out);
  return base::Ok{};
}

void ResponseState::refuse() {
  started_ = true;
  refused_ = true;
  framing_.close = true;
}

base::Result<> ResponseState::counted_piece(std::string_view piece, bool more, std::string& out) {
  if (static_cast<std::int64_t>(piece.size()) > left_bytes_) {
    return base::Error{"Response content longer than Content-Length"};
  }
  left_bytes_ -= static_cast<std::int64_t>(piece.size());
  out.append(piece);
  if (!more && left_bytes_ != 0) {
    return base::Error{"Response content shorter than Content-Length"};
  }
  return base::Ok{};
}

base::Result<> ResponseState::body(std::string_view piece, bool more, std::string& out) {
  CHECK(started_ && !complete_);
  if (refused_) {
    return base::Error{"The response's head was refused: its body cannot be sent."};
  }
  switch (framing_.body) {
    case http::BodyFraming::kChunked:
      http::write_chunk(piece, out);
      if (!more) {
        http::write_last_chunk(out);
      }
      break;
    case http::BodyFraming::kLength:
    case http::BodyFraming::kEmpty: {
      auto counted = counted_piece(piece, more, out);
      if (!counted) {
        return counted;
      }
      break;
    }
    case http::BodyFraming::kUntilClose:
      out.append(piece);
      break;
    case http::BodyFraming::kNone:
      break;
  }
  complete_ = !more;
  return base::Ok{};
}

void ResponseState::internal_error(std::string& out) {
  CHECK(!started_);
  http::ResponseHead head;
  head.status = 500;
  head.add(http::FieldKind::kOrdinary, "content-type", "text/plain; charset=utf-8");
  head.add(http::FieldKind::kContentLength, "content-length", "21");
  head.add(http::FieldKind::kConnection, "connection", "close");
  CHECK(start(head, out).ok());
  CHECK(body(kInternalError, false, out).ok());
}

}  // namespace overbite::request
