// Requests from a byte stream, by llhttp (the parser inside httptools, so with its verdicts).
//
// Threads: one. The parser calls its sink from inside feed(); the sink must not destroy it there.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "server/http/quirks.h"

struct llhttp__internal_s;

namespace overbite::http {

struct HeaderField {
  std::string_view name;  // lower-cased
  std::string_view value;
};

// A request's head. Views point into the head's own storage: it is neither copied nor moved.
struct RequestHead {
  RequestHead() = default;
  RequestHead(const RequestHead&) = delete;
  RequestHead& operator=(const RequestHead&) = delete;

  std::string method;
  std::string target;    // as on the wire
  std::string raw_path;  // of the target, still quoted
  std::string query;     // after the first '?', without a fragment
  int version_major = 1;
  int version_minor = 1;
  std::string storage;               // every name and value
  std::vector<HeaderField> headers;  // wire order, repetitions kept
  // As llhttp decides, but false for every HTTP/1.0 request, as in the reference; 0.9 may ask for
  // it.
  bool keep_alive = true;
  bool expect_continue = false;  // Expect: 100-continue
  bool has_body = false;         // a Content-Length above 0, or a chunked body, is announced

  bool is_head() const { return method == "HEAD"; }
  // HTTP/0.9 counts as 1.0: neither knows chunks (RFC 9112 6.1) or 100 (RFC 9110 10.1.1).
  bool is_1_0() const { return version_major * 10 + version_minor <= 10; }
};

class RequestSink {
 public:
  virtual ~RequestSink() = default;
  virtual void on_head(std::unique_ptr<RequestHead> head) = 0;
  virtual void on_body(std::string_view piece) = 0;
  // The request is complete; the next byte belongs to the next one.
  virtual void on_complete() = 0;
};

class RequestParser {
 public:
  // `quirks` and `sink` outlive the parser.
  RequestParser(const Quirks& quirks, RequestSink& sink);
  ~RequestParser();
  RequestParser(const RequestParser&) = delete;
  RequestParser& operator=(const RequestParser&) = delete;

  // Takes all of `bytes`, however many requests they hold. False: the stream is malformed from here
  // on, error() says why, and feed() must not be called again.
  [[nodiscard]] bool feed(std::string_view bytes);
  const std::string& error() const { return error_; }
  // Whether a request has begun whose on_complete has not been called (or whose head is half
  // there).
  bool in_message() const { return in_message_; }

 private:
  struct Callbacks;
  int fail(std::string reason);
  int finish_head();
  void finish_field();

  const Quirks& quirks_;
  RequestSink& sink_;
  std::unique_ptr<llhttp__internal_s> parser_;
  std::unique_ptr<RequestHead> head_;
  // names and values as offsets while storage may still move
  struct Span {
    std::size_t name, name_size, value, value_size;
  };
  std::vector<Span> spans_;
  bool value_open_ = false;
  bool head_done_ = false;
  bool in_message_ = false;
  std::size_t head_bytes_ = 0;
  std::string error_;
};

}  // namespace overbite::http
