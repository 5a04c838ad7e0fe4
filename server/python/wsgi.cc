#include "server/python/wsgi.h"

#include <utility>

#include "server/python/compat.h"
#include "server/python/interpreter.h"
#include "server/python/read_head.h"

namespace overbite::python {

namespace {

constexpr char kCapsule[] = "overbite.wsgi_call";

bool is_ready_sequence(Borrowed iterable) {
  return iterable && (PyList_CheckExact(iterable.get()) || PyTuple_CheckExact(iterable.get()));
}

bool has_exception() { return PyErr_Occurred() != nullptr; }

// Raises what `exc_info` holds, its traceback attached: raise
// exc_info[1].with_traceback(exc_info[2]).
void raise_exc_info(Borrowed exc_info) {
  if (PyTuple_Check(exc_info.get()) == 0 || PyTuple_GET_SIZE(exc_info.get()) != 3 ||
      !PyExceptionInstance_Check(PyTuple_GET_ITEM(exc_info.get(), 1))) {
    PyErr_SetString(PyExc_TypeError, "exc_info must be a tuple as sys.exc_info() returns it");
    return;
  }
  Owned exception = Owned::share(PyTuple_GET_ITEM(exc_info.get(), 1));
  const Borrowed traceback(PyTuple_GET_ITEM(exc_info.get(), 2));
  if (traceback.get() != Py_None &&
      PyException_SetTraceback(exception.get(), traceback.get()) != 0) {
    return;
  }
  raise_exception(std::move(exception));
}

// The call's own contextvars.Context: the thread's belongs to all its requests.
class InContext {
 public:
  explicit InContext(Borrowed context)
      : context_(context), entered_(PyContext_Enter(context.get()) == 0) {}
  ~InContext() {
    if (entered_ && PyContext_Exit(context_.get()) != 0) {
      log_exception("Exception while leaving the context of a WSGI call");
    }
  }
  InContext(const InContext&) = delete;
  InContext& operator=(const InContext&) = delete;
  // False: an exception is set.
  bool entered() const { return entered_; }

 private:
  Borrowed context_;
  bool entered_;
};

}  // namespace

struct WsgiCall::State {
  State(Borrowed app, Owned environment, const http::Quirks& rules, WsgiSink& output)
      : application(Owned::share(app)),
        environ(std::move(environment)),
        quirks(rules),
        sink(output) {}

  // What the application's start_response and write hold: they may outlive the call.
  struct Link {
    State* state;
  };
  static void free_link(PyObject* capsule);
  static State* from_capsule(PyObject* capsule);
  static PyObject* start_response(PyObject* self, PyObject* arguments, PyObject* keywords);
  static PyObject* write(PyObject* self, PyObject* piece);
  static bool takes_head(State& state, Borrowed status, Borrowed headers, Borrowed exc_info);

  bool call_application();
  bool make_link();
  bool send_head();
  // False as from the sink: with an exception, or without one when the client is gone.
  bool send_piece(Borrowed piece);
  bool send_written(Borrowed piece);
  bool next_piece(Owned& piece);
  void close_iterable();
  Step fail();
  Step leave();
  Step finish();
  Step take_next();
  Step stopped() { return has_exception() ? fail() : leave(); }

  Owned application;
  Owned environ;
  const http::Quirks& quirks;
  WsgiSink& sink;
  Owned context;
  Owned start_callable;  // holds the capsule
  Link* link = nullptr;  // the capsule's
  Owned iterable;
  Owned iterator;  // null: a list or tuple, read by index
  Py_ssize_t index = 0;
  http::ResponseHead head;
  bool has_head = false;
  bool head_is_sent = false;
  bool client_is_gone = false;  // a write() found out
  bool ended = false;           // close() of the iterable was called, or is not due
  const unsigned long thread = PyThread_get_thread_ident();  // whose the sink is
};

// --- start_response and write -------------------------------------------------------------------

void WsgiCall::State::free_link(PyObject* capsule) {
  delete static_cast<Link*>(PyCapsule_GetPointer(capsule, kCapsule));
}

WsgiCall::State* WsgiCall::State::from_capsule(PyObject* capsule) {
  State* const state = static_cast<Link*>(PyCapsule_GetPointer(capsule, kCapsule))->state;
  if (state == nullptr || state->ended) {
    PyErr_SetString(PyExc_RuntimeError, "the response is over");
    return nullptr;
  }
  return state;
}

// PEP 3333, "The start_response() Callable": a second call needs exc_info, which replaces a head
// that was not sent, and comes back as an exception once it was.
bool WsgiCall::State::takes_head(State& state,
                                 Borrowed status,
                                 Borrowed headers,
                                 Borrowed exc_info) {
  if (state.has_head && state.quirks.wsgi_exc_info_ignored) {
    return true;
  }
  const bool has_error = exc_info && exc_info.get() != Py_None;
  if (has_error && state.head_is_sent) {
    raise_exc_info(exc_info);
    return false;
  }
  if (!has_error && state.has_head) {
    PyErr_SetString(PyExc_AssertionError,
                    "start_response() was called a second time without exc_info");
    return false;
  }
  http::ResponseHead head;
  if (!read_wsgi_head(status, headers, state.quirks, head)) {
    return false;
  }
  state.head = std::move(head);
  state.has_head = true;
  if (state.quirks.wsgi_early_head && !state.send_head()) {
    state.client_is_gone = !has_exception();
    return state.client_is_gone;
  }
  return true;
}

PyObject* WsgiCall::State::start_response(PyObject* self, PyObject* arguments, PyObject* keywords) {
  static PyMethodDef write_def = {"write", &State::write, METH_O, nullptr};
  static const char* const names[] = {"status", "response_headers", "exc_info", nullptr};
  PyObject* status = nullptr;
  PyObject* headers = nullptr;
  PyObject* exc_info = nullptr;
  if (PyArg_ParseTupleAndKeywords(arguments,
                                  keywords,
                                  "OO|O:start_response",
                                  const_cast<char**>(names),  // NOLINT: the C API's signature
                                  &status,
                                  &headers,
                                  &exc_info) == 0) {
    return nullptr;
  }
  State* const state = from_capsule(self);
  if (state == nullptr ||
      !takes_head(*state, Borrowed(status), Borrowed(headers), Borrowed(exc_info))) {
    return nullptr;
  }
  return PyCFunction_New(&write_def, self);
}

PyObject* WsgiCall::State::write(PyObject* self, PyObject* piece) {
  State* const state = from_capsule(self);
  if (state == nullptr) {
    return nullptr;
  }
  if (PyThread_get_thread_ident() != state->thread) {
    PyErr_SetString(PyExc_RuntimeError,
                    "write() was called from another thread than the application");
    return nullptr;
  }
  if (!state->client_is_gone && state->send_written(Borrowed(piece))) {
    Py_RETURN_NONE;
  }
  if (!has_exception()) {
    state->client_is_gone = true;
    PyErr_SetString(PyExc_BrokenPipeError, "the client is gone");
  }
  return nullptr;
}

// PEP 3333, "The write() Callable": the block is on its way before the application goes on.
bool WsgiCall::State::send_written(Borrowed piece) {
  const bool taken = send_piece(piece);
  return taken && sink.send_now();  // guard: write-held-back
}

bool WsgiCall::State::make_link() {
  static PyMethodDef start_def = {
      "start_response",
      reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&State::start_response)),
      METH_VARARGS | METH_KEYWORDS,
      nullptr};
  auto fresh = std::make_unique<Link>(Link{this});
  const Owned made = Owned::steal(PyCapsule_New(fresh.get(), kCapsule, &State::free_link));
  if (!made) {
    return false;
  }
  Link* const owned_by_capsule = fresh.release();
  start_callable = Owned::steal(PyCFunction_New(&start_def, made.get()));
  link = start_callable ? owned_by_capsule : nullptr;
  return link != nullptr;
}

// --- the output ---------------------------------------------------------------------------------

bool WsgiCall::State::send_head() {
  if (head_is_sent) {
    return true;
  }
  if (!has_head) {
    PyErr_SetString(PyExc_AssertionError,
                    "the application gave no status: start_response() was not called");
    return false;
  }
  if (!sink.on_head(head)) {
    return false;
  }
  head_is_sent = true;
  return true;
}

bool WsgiCall::State::send_piece(Borrowed piece) {
  // As the reference, which hands any of the three to the transport.
  if (PyBytes_Check(piece.get()) == 0 && PyByteArray_Check(piece.get()) == 0 &&
      PyMemoryView_Check(piece.get()) == 0) {
    PyErr_Format(PyExc_TypeError,
                 "a WSGI application's body is made of bytes, not %.100s",
                 Py_TYPE(piece.get())->tp_name);
    return false;
  }
  Py_buffer view;
  if (PyObject_GetBuffer(piece.get(), &view, PyBUF_SIMPLE) != 0) {
    return false;
  }
  const std::string_view bytes(static_cast<const char*>(view.buf),
                               static_cast<std::size_t>(view.len));
  // The reference takes an empty piece for a message of its own, which needs the head before it.
  const bool skipped = bytes.empty() && !quirks.wsgi_early_head;
  const bool sent = skipped || (send_head() && (bytes.empty() || sink.on_body(bytes)));
  PyBuffer_Release(&view);
  return sent;
}

// --- the application's side ---------------------------------------------------------------------

bool WsgiCall::State::call_application() {
  PyObject* arguments[] = {environ.get(), start_callable.get()};
  iterable = Owned::steal(PyObject_Vectorcall(application.get(), arguments, 2, nullptr));
  if (!iterable) {
    return false;
  }
  if (!is_ready_sequence(iterable.borrow())) {
    iterator = Owned::steal(PyObject_GetIter(iterable.get()));
    return static_cast<bool>(iterator);
  }
  return true;
}

// Null: the end, or an exception is set, which false says.
bool WsgiCall::State::next_piece(Owned& piece) {
  if (iterator) {
    PyObject* const fresh = PyIter_Next(iterator.get());
    piece = Owned::steal(fresh);  // guard: owned-reference-kept
    return piece || !has_exception();
  }
  // The application may still hold the list: its size counts now, and the piece is ours meanwhile.
  piece = index < PySequence_Fast_GET_SIZE(iterable.get())
              ? Owned::share(PySequence_Fast_GET_ITEM(iterable.get(), index++))
              : Owned();
  return true;
}

void WsgiCall::State::close_iterable() {
  iterator.reset();
  const Owned object = std::move(iterable);
  if (!object || is_ready_sequence(object.borrow())) {
    return;
  }
  const Owned method = attribute_or_null(object.borrow(), "close");
  const Owned result = method ? Owned::steal(PyObject_CallNoArgs(method.get())) : Owned();
  if (has_exception()) {
    log_exception("Exception in WSGI application");
  }
}

WsgiCall::Step WsgiCall::State::fail() {
  if (client_is_gone && PyErr_ExceptionMatches(PyExc_BrokenPipeError) != 0) {
    PyErr_Clear();  // write() raised it
    return leave();
  }
  ended = true;
  log_exception("Exception in WSGI application");
  close_iterable();  // guard: wsgi-close-skipped
  return Step::kFailed;
}

WsgiCall::Step WsgiCall::State::leave() {
  ended = true;
  close_iterable();
  return Step::kGone;
}

WsgiCall::Step WsgiCall::State::finish() {
  if (!send_head() || !sink.on_end()) {
    return stopped();
  }
  ended = true;
  close_iterable();
  return Step::kFinished;
}

WsgiCall::Step WsgiCall::State::take_next() {
  Owned piece;
  if (!next_piece(piece)) {
    return fail();
  }
  if (!piece) {
    return finish();
  }
  return send_piece(piece.borrow()) ? Step::kMore : stopped();
}

// --- the call -----------------------------------------------------------------------------------

WsgiCall::WsgiCall(Borrowed application,
                   Owned the_environ,
                   const http::Quirks& quirks,
                   WsgiSink& sink)
    : state_(std::make_unique<State>(application, std::move(the_environ), quirks, sink)) {}

WsgiCall::~WsgiCall() {
  if (!state_->ended && state_->iterable) {
    state_->ended = true;
    const InContext in_context(state_->context.borrow());
    state_->close_iterable();
  }
  if (state_->link != nullptr) {
    state_->link->state = nullptr;
  }
}

WsgiCall::Step WsgiCall::start() {
  state_->context = Owned::steal(PyContext_CopyCurrent());
  if (!state_->context || !state_->make_link()) {
    return state_->fail();
  }
  const InContext in_context(state_->context.borrow());
  if (!in_context.entered() || !state_->call_application()) {
    return state_->fail();
  }
  return state_->client_is_gone ? state_->leave() : Step::kMore;
}

WsgiCall::Step WsgiCall::next() {
  const InContext in_context(state_->context.borrow());
  if (!in_context.entered()) {
    return state_->fail();
  }
  const Step step = state_->client_is_gone ? state_->leave() : state_->take_next();
  return step == Step::kMore && state_->client_is_gone ? state_->leave() : step;
}

bool WsgiCall::head_sent() const { return state_->head_is_sent; }

bool WsgiCall::rest_is_ready() const { return is_ready_sequence(state_->iterable.borrow()); }

}  // namespace overbite::python
