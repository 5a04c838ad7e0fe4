#include "server/executor/wsgi_exchange.h"

#include <utility>

#include "server/base/limits.h"
#include "server/python/interpreter.h"

namespace overbite::executor {

using python::WsgiCall;

WsgiExchange::WsgiExchange(const WsgiApplication& application,
                           request::ReplySink& sink,
                           base::SlotRef slot,
                           std::unique_ptr<request::Request> request)
    : sink_(sink), response_(application.rules, *request), sender_(sink, slot) {
  python::Owned environ = application.environ.build(*request);
  if (!environ) {
    python::log_exception("Exception while building a WSGI environ");
    return;
  }
  python::WsgiSink& sink_of_call = *this;
  call_ = std::make_unique<WsgiCall>(
      application.application, std::move(environ), application.rules.quirks, sink_of_call);
}

bool WsgiExchange::refused(const base::Result<>& result) {
  if (result.ok()) {
    return false;
  }
  PyErr_SetString(PyExc_RuntimeError, result.error().c_str());
  return true;
}

bool WsgiExchange::on_head(const http::ResponseHead& head) {
  if (response_.started()) {
    PyErr_SetString(PyExc_RuntimeError, "The response's head was refused: nothing can be sent.");
    return false;
  }
  if (sink_.stopping()) {
    response_.drain();  // guard: stop-unheard-by-wsgi
  }
  return !refused(response_.start(head, sender_.pending()));
}

bool WsgiExchange::on_body(std::string_view piece) {
  if (sender_.starved() && sender_.pending().size() > limits::kWrittenAheadBytesMax) {
    PyErr_SetString(PyExc_RuntimeError,
                    "write() is too far ahead of its client: return an iterable, or use "
                    "--blocking-threads");
    return false;
  }
  return !refused(response_.body(piece, true, sender_.pending()));
}

bool WsgiExchange::on_end() { return !refused(response_.body({}, false, sender_.pending())); }

bool WsgiExchange::send_now() {
  // Without credit: a sink that cannot wait; on_body() sets a bound to what is kept.
  const bool gone = sender_.flush(response_.close()) == handoff::PushResult::kClosed;
  sink_.deliver();
  return !gone;
}

WsgiExchange::Progress WsgiExchange::step() {
  if (!call_) {
    failed();
    return Progress::kFinished;
  }
  const WsgiCall::Step step = started_ ? call_->next() : call_->start();
  started_ = true;
  switch (step) {
    case WsgiCall::Step::kMore:
      return Progress::kMore;
    case WsgiCall::Step::kFinished:
      sender_.finish(response_.close());
      break;
    case WsgiCall::Step::kFailed:
      failed();
      break;
    case WsgiCall::Step::kGone:
      sender_.gone();
      break;
  }
  return Progress::kFinished;
}

void WsgiExchange::failed() {
  if (!response_.started()) {
    response_.internal_error(sender_.pending());
    sender_.finish(true);
    return;
  }
  sender_.stop_short();  // guard: chunk-terminator-after-error
}

bool WsgiExchange::flush() {
  return sender_.flush(response_.close()) != handoff::PushResult::kNoCredit;
}

void WsgiExchange::client_gone() {
  call_.reset();  // closes the iterable
  sender_.gone();
}

}  // namespace overbite::executor
