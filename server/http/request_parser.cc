#include "server/http/request_parser.h"

#include <llhttp.h>

#include <algorithm>
#include <utility>

#include "server/base/check.h"
#include "server/base/limits.h"
#include "server/http/ascii.h"
#include "server/http/target.h"

namespace overbite::http {
namespace {

constexpr int kGoOn = 0;
constexpr int kFailed = -1;
// From on_headers_complete: the message ends here, and the parser pauses.
constexpr int kWithoutBody = 1;

// ": " and the line end, which llhttp shows to nobody.
constexpr std::size_t kFieldOverheadBytes = 4;

}  // namespace

struct RequestParser::Callbacks {
  static RequestParser& of(llhttp_t* parser) { return *static_cast<RequestParser*>(parser->data); }

  static int message_begin(llhttp_t* parser) {
    RequestParser& self = of(parser);
    self.head_ = std::make_unique<RequestHead>();
    self.spans_.clear();
    self.value_open_ = false;
    self.head_done_ = false;
    self.in_message_ = true;
    self.head_bytes_ = 0;
    return kGoOn;
  }

  // Trailers count too: they are dropped, but not without end.
  static int count(RequestParser& self, std::size_t bytes) {
    self.head_bytes_ += bytes;
    return self.head_bytes_ > limits::kRequestHeadBytesMax ? self.fail("request head too large")
                                                           : kGoOn;
  }

  static int url(llhttp_t* parser, const char* at, std::size_t size) {
    RequestParser& self = of(parser);
    self.head_->target.append(at, size);
    return count(self, size);
  }

  static int field_name(llhttp_t* parser, const char* at, std::size_t size) {
    RequestParser& self = of(parser);
    if (self.head_done_) {
      return count(self, size);
    }
    std::string& storage = self.head_->storage;
    if (!self.value_open_) {
      self.spans_.push_back({storage.size(), 0, 0, 0});
      self.value_open_ = true;
    }
    std::transform(at, at + size, std::back_inserter(storage), to_lower);
    self.spans_.back().name_size += size;
    return count(self, size);
  }

  static int field_value(llhttp_t* parser, const char* at, std::size_t size) {
    RequestParser& self = of(parser);
    if (!self.head_done_) {
      self.head_->storage.append(at, size);
      self.spans_.back().value_size += size;
    }
    return count(self, size);
  }

  static int field_complete(llhttp_t* parser) {
    RequestParser& self = of(parser);
    if (!self.head_done_) {
      self.finish_field();
    }
    return count(self, kFieldOverheadBytes);
  }

  static int headers_complete(llhttp_t* parser) { return of(parser).finish_head(); }

  static int body(llhttp_t* parser, const char* at, std::size_t size) {
    of(parser).sink_.on_body(std::string_view(at, size));
    return kGoOn;
  }

  static int message_complete(llhttp_t* parser) {
    RequestParser& self = of(parser);
    self.in_message_ = false;
    self.sink_.on_complete();
    return kGoOn;
  }

  static llhttp_settings_t make_settings() {
    llhttp_settings_t settings;
    llhttp_settings_init(&settings);
    settings.on_message_begin = message_begin;
    settings.on_url = url;
    settings.on_header_field = field_name;
    settings.on_header_value = field_value;
    settings.on_header_value_complete = field_complete;
    settings.on_headers_complete = headers_complete;
    settings.on_body = body;
    settings.on_message_complete = message_complete;
    return settings;
  }
};

RequestParser::RequestParser(const Quirks& quirks, RequestSink& sink)
    : quirks_(quirks), sink_(sink), parser_(std::make_unique<llhttp_t>()) {
  static const llhttp_settings_t kSettings = Callbacks::make_settings();
  llhttp_init(parser_.get(), HTTP_REQUEST, &kSettings);
  // Bytes behind a "Connection: close" request are skipped and not refused.
  llhttp_set_lenient_data_after_close(parser_.get(), 1);
  parser_->data = this;
}

RequestParser::~RequestParser() = default;

bool RequestParser::feed(std::string_view bytes) {
  CHECK(error_.empty());
  const llhttp_errno_t result = llhttp_execute(parser_.get(), bytes.data(), bytes.size());
  if (result == HPE_OK) {
    return true;
  }
  if (result == HPE_PAUSED_UPGRADE) {
    // Only with the quirk: what came behind the offer in the same read is lost, later reads are
    // not.
    llhttp_resume_after_upgrade(parser_.get());
    return true;
  }
  if (error_.empty()) {
    const char* reason = llhttp_get_error_reason(parser_.get());
    error_ = reason != nullptr && *reason != '\0' ? reason : llhttp_errno_name(result);
  }
  return false;
}

int RequestParser::fail(std::string reason) {
  error_ = std::move(reason);
  return kFailed;
}

void RequestParser::finish_field() {
  Span& span = spans_.back();
  span.value = span.name + span.name_size;
  value_open_ = false;
  if (!quirks_.trailing_blanks_kept) {
    // RFC 9112 5.1: OWS behind the value is no part of it.
    std::string& storage = head_->storage;
    span.value_size =
        trim_trailing_blanks(std::string_view(storage).substr(span.value, span.value_size)).size();
    storage.resize(span.value + span.value_size);
  }
}

int RequestParser::finish_head() {
  RequestHead& head = *head_;
  head_done_ = true;
  const auto target = split_target(head.target);
  if (!target) {
    return fail(target.error());
  }
  head.raw_path = target.value().raw_path;
  head.query = target.value().query;
  head.method = llhttp_method_name(static_cast<llhttp_method_t>(parser_->method));
  head.version_major = parser_->http_major;
  head.version_minor = parser_->http_minor;
  const bool exactly_1_0 = head.version_major == 1 && head.version_minor == 0;
  head.keep_alive = !exactly_1_0 && llhttp_should_keep_alive(parser_.get()) != 0;
  head.has_body = (parser_->flags & F_CHUNKED) != 0 || parser_->content_length > 0;

  std::size_t hosts = 0;
  head.headers.reserve(spans_.size());
  for (const Span& span : spans_) {
    const std::string_view all(head.storage);
    const HeaderField field{all.substr(span.name, span.name_size),
                            all.substr(span.value, span.value_size)};
    hosts += field.name == "host" ? 1 : 0;
    if (field.name == "expect" && equals_ignoring_case(field.value, "100-continue")) {
      head.expect_continue = true;
    }
    head.headers.push_back(field);
  }
  // RFC 9112 3.2: never twice, and HTTP/1.1 not without.
  const bool needed = head.version_major == 1 && head.version_minor == 1;
  const bool host_fits = hosts == 1 || (hosts == 0 && !needed);  // guard: lenient-host
  if (!host_fits && !quirks_.host_unchecked) {
    return fail(hosts == 0 ? "no Host field" : "more than one Host field");
  }
  const bool upgrade = parser_->upgrade != 0;
  if (!quirks_.upgrade_drops_body) {
    // An offer nobody takes changes nothing (RFC 9110 7.8).
    parser_->upgrade = 0;
  }
  sink_.on_head(std::move(head_));
  return upgrade && quirks_.upgrade_drops_body ? kWithoutBody : kGoOn;
}

}  // namespace overbite::http
