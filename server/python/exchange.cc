// Exchange: the ASGI HTTP message rules (asgiref's specification, as uvicorn plays them).
#include <utility>

#include "server/base/check.h"
#include "server/base/limits.h"
#include "server/base/log.h"
#include "server/python/cycle.h"
#include "server/python/interpreter.h"
#include "server/python/read_head.h"

namespace overbite::python {

namespace {

constexpr char kContinue[] = "HTTP/1.1 100 Continue\r\n\r\n";

// message[key]; null with KeyError (or whatever the mapping raises).
Owned item(Borrowed message, const char* key) {
  const Owned name = Owned::steal(PyUnicode_InternFromString(key));
  return name ? Owned::steal(PyObject_GetItem(message.get(), name.get())) : Owned();
}

// message.get(key): null without an exception when it is missing.
Owned item_or_null(Borrowed message, const char* key) {
  Owned value = item(message, key);
  if (!value && PyErr_ExceptionMatches(PyExc_KeyError) != 0) {
    PyErr_Clear();
  }
  return value;
}

// The head of a start message; false with an exception set. Runs the application's code: its
// mapping's, its iterables'.
bool read_start(Borrowed message, http::ResponseHead& head) {
  const Owned status = item(message, "status");
  Owned headers = status ? item_or_null(message, "headers") : Owned();
  if (!headers && PyErr_Occurred() == nullptr) {
    headers = Owned::steal(PyList_New(0));
  }
  return headers && read_asgi_head(status.borrow(), headers.borrow(), head);
}

// The bytes of a body piece while this lives; none of None.
class Bytes {
 public:
  explicit Bytes(Borrowed piece)
      : taken_(!piece || piece.get() == Py_None ||
               PyObject_GetBuffer(piece.get(), &view_, PyBUF_SIMPLE) == 0) {}
  ~Bytes() { PyBuffer_Release(&view_); }
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;
  // False: an exception is set.
  bool taken() const { return taken_; }
  std::string_view view() const {
    return {static_cast<const char*>(view_.buf), static_cast<std::size_t>(view_.len)};
  }

 private:
  Py_buffer view_{};
  bool taken_;
};

Owned disconnect_message() {
  return Owned::steal(Py_BuildValue("{ss}", "type", "http.disconnect"));
}

}  // namespace

Exchange::Exchange(CycleHost& host, base::SlotRef slot, std::unique_ptr<request::Request> request)
    : host_(host),
      response_(host.rules(), *request),
      sender_(host, slot),
      body_(std::move(request->body)),
      more_body_(!request->body_complete) {
  news_ = !body_.empty() || !more_body_;
  const http::RequestHead& head = *request->head;
  continue_due_ = head.expect_continue && (!head.is_1_0() || host.rules().quirks.continue_to_1_0);
}

void Exchange::wake(std::deque<Owned>& waiters) {
  for (Owned& future : std::exchange(waiters, {})) {
    const Owned done = Owned::steal(PyObject_CallMethod(future.get(), "done", nullptr));
    if (done && done.get() == Py_False) {
      Owned::steal(PyObject_CallMethod(future.get(), "set_result", "O", Py_None));
    }
    if (PyErr_Occurred() != nullptr) {
      log_exception("Exception while waking an ASGI application");
    }
  }
}

void Exchange::on_body(request::BodyPiece& piece) {
  body_.append(piece.bytes);
  more_body_ = more_body_ && !piece.last;
  news_ = true;
  wake(receive_waiters_);
}

void Exchange::on_disconnect() {
  disconnected_ = true;
  wake(receive_waiters_);  // guard: disconnect-wakes-nobody
  wake(send_waiters_);
}

void Exchange::on_half_close() {
  client_ends_ = true;
  wake(receive_waiters_);
}

void Exchange::on_credit() {
  if (sender_.starved()) {
    flush();
  }
  if (!sender_.starved()) {
    wake(send_waiters_);
  }
}

Exchange::Outcome Exchange::try_receive(Owned& message) {
  if (continue_due_ && !disconnected_ && !sender_.slot_finished()) {
    auto interim = std::make_unique<request::Reply>();
    interim->bytes = kContinue;
    host_.complete({handoff::CompletionKind::kInterim, slot(), std::move(interim)});
    continue_due_ = false;
  }
  if (disconnected_ || response_.complete() || (client_ends_ && last_body_taken_)) {
    message = disconnect_message();
    return message ? Outcome::kReady : Outcome::kError;
  }
  if (!news_) {
    return Outcome::kWait;
  }
  news_ = false;
  last_body_taken_ = !more_body_;  // guard: body-end-forgotten
  message = Owned::steal(Py_BuildValue("{ss,sy#,sO}",
                                       "type",
                                       "http.request",
                                       "body",
                                       body_.data(),
                                       static_cast<Py_ssize_t>(body_.size()),
                                       "more_body",
                                       more_body_ ? Py_True : Py_False));
  taken_bytes_ += body_.size();
  body_.clear();
  for (; taken_bytes_ >= limits::kBodyCreditQuantumBytes && !sender_.slot_finished();
       taken_bytes_ -= limits::kBodyCreditQuantumBytes) {
    host_.send_message({handoff::MessageKind::kReadMore, slot()});
  }
  return message ? Outcome::kReady : Outcome::kError;
}

Exchange::Outcome Exchange::try_send(Borrowed message) {
  if (disconnected_) {
    return Outcome::kReady;
  }
  if (sender_.starved()) {
    return Outcome::kWait;
  }
  const Owned type = item(message, "type");
  if (!type) {
    return Outcome::kError;
  }
  if (!is_next(type.borrow()) ||
      !(response_.started() ? body(message, type.borrow()) : start(message, type.borrow()))) {
    return Outcome::kError;
  }
  if (sender_.slot_finished()) {
    return Outcome::kReady;
  }
  host_.flush_later(*this);
  if (sender_.pending().size() > limits::kWriteHighWaterBytes && !response_.complete()) {
    flush();
  }
  return Outcome::kReady;
}

// Whether the response goes on with a message of this type; false with an exception set.
bool Exchange::is_next(Borrowed type) const {
  if (response_.complete()) {
    PyErr_Format(PyExc_RuntimeError,
                 "Unexpected ASGI message '%S' sent, after response already completed.",
                 type.get());
    return false;
  }
  const char* const next = response_.started() ? "http.response.body" : "http.response.start";
  if (PyUnicode_Check(type.get()) && PyUnicode_CompareWithASCIIString(type.get(), next) == 0) {
    return true;
  }
  PyErr_Format(PyExc_RuntimeError, "Expected ASGI message '%s', but got '%S'.", next, type.get());
  return false;
}

bool Exchange::start(Borrowed message, Borrowed type) {
  continue_due_ = false;
  http::ResponseHead head;
  if (!read_start(message, head)) {
    if (!response_.started()) {
      response_.refuse();
    }
    return false;
  }
  if (!is_next(type)) {  // guard: start-inside-start
    return false;        // to read the message ran the application's code, which has sent another
  }
  if (host_.stopping()) {
    response_.drain();  // guard: stop-unheard-by-asgi
  }
  const auto written = response_.start(head, sender_.pending());
  if (!written) {
    PyErr_SetString(PyExc_RuntimeError, written.error().c_str());
    return false;
  }
  return true;
}

bool Exchange::body(Borrowed message, Borrowed type) {
  const Owned piece = item_or_null(message, "body");
  if (!piece && PyErr_Occurred() != nullptr) {
    return false;
  }
  const Owned more = item_or_null(message, "more_body");
  if (!more && PyErr_Occurred() != nullptr) {
    return false;
  }
  const int is_more = more ? PyObject_IsTrue(more.get()) : 0;
  return is_more >= 0 && append_body(piece.borrow(), is_more != 0, type);
}

bool Exchange::append_body(Borrowed piece, bool more, Borrowed type) {
  const Bytes bytes(piece);
  if (!bytes.taken() || !is_next(type)) {  // as in start()  // guard: body-inside-body
    return false;
  }
  const auto written = response_.body(bytes.view(), more, sender_.pending());
  if (!written) {
    PyErr_SetString(PyExc_RuntimeError, written.error().c_str());
    return false;
  }
  if (!more) {
    wake(receive_waiters_);
  }
  return true;
}

void Exchange::flush() {
  if (sender_.slot_finished() || disconnected_) {
    return;
  }
  if (response_.complete()) {
    sender_.finish(response_.close());
  } else {
    // Closed: the disconnect message is on its way and says so.
    [[maybe_unused]] const auto result = sender_.flush(response_.close());
  }
}

void Exchange::settle(bool clean) {
  if (!sender_.slot_finished()) {
    const bool whole = response_.complete() && (clean || !host_.rules().quirks.late_error_closes);
    if (disconnected_) {
      sender_.gone();
    } else if (whole) {
      sender_.finish(response_.close());
    } else {
      sender_.stop_short();  // guard: terminator-after-asgi-error
      // For tasks that outlive the application: nothing they send can arrive.
      disconnected_ = true;  // guard: failed-request-still-served
    }
  } else if (!clean && host_.rules().quirks.late_error_closes) {
    host_.send_message({handoff::MessageKind::kLateError, slot()});
  }
  wake(receive_waiters_);
  wake(send_waiters_);
  host_.ended(*this);
}

void Exchange::returned(Borrowed result) {
  bool clean = true;
  if (result.get() != Py_None) {
    clean = false;
    const Owned text = Owned::steal(PyObject_Str(result.get()));
    const char* const utf8 = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
    log_line(base::Level::kError,
             std::string("ASGI callable should return None, but returned '") +
                 (utf8 != nullptr ? utf8 : "?") + "'.");
    PyErr_Clear();
  } else if (!disconnected_ && !response_.started()) {
    log_line(base::Level::kError, "ASGI callable returned without starting response.");
    response_.internal_error(sender_.pending());
  } else if (!disconnected_ && !response_.complete()) {
    log_line(base::Level::kError, "ASGI callable returned without completing response.");
  }
  settle(clean);
}

void Exchange::failed() {
  log_exception("Exception in ASGI application");
  if (!disconnected_ && !response_.started()) {
    response_.internal_error(sender_.pending());
    settle(true);
    return;
  }
  settle(false);
}

}  // namespace overbite::python
