// A sink that writes down what a parser says, one line an event, pieces of one body joined: so that
// two ways of feeding the same bytes can be compared.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "server/http/request_parser.h"

namespace overbite::http {

class RequestRecorder : public RequestSink {
 public:
  void on_head(std::unique_ptr<RequestHead> head) override {
    flush_body();
    events.push_back(fmt::format("head {} {} {}.{}{}{}{}",
                                 head->method,
                                 head->target,
                                 head->version_major,
                                 head->version_minor,
                                 head->keep_alive ? " keep-alive" : "",
                                 head->expect_continue ? " expect" : "",
                                 head->has_body ? " body" : ""));
    for (const HeaderField& field : head->headers) {
      events.push_back(fmt::format("field {}={}", field.name, field.value));
    }
    heads.push_back(std::move(head));
  }
  void on_body(std::string_view piece) override { body_ += piece; }
  void on_complete() override {
    flush_body();
    events.emplace_back("complete");
  }

  std::vector<std::string> events;
  std::vector<std::unique_ptr<RequestHead>> heads;

 private:
  void flush_body() {
    if (!body_.empty()) {
      events.push_back("body " + body_);
      body_.clear();
    }
  }

  std::string body_;
};

// Every event of the pieces fed one after the other; then "malformed", or "open" when a request has
// begun and not ended.
inline std::vector<std::string> record(const std::vector<std::string_view>& pieces,
                                       const Quirks& quirks = {}) {
  RequestRecorder recorder;
  RequestParser parser(quirks, recorder);
  for (const std::string_view piece : pieces) {
    if (!parser.feed(piece)) {
      recorder.events.emplace_back("malformed");
      return recorder.events;
    }
  }
  if (parser.in_message()) {
    recorder.events.emplace_back("open");
  }
  return recorder.events;
}

}  // namespace overbite::http
