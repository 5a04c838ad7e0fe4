// One WSGI call (PEP 3333), stepwise, so that the same code serves the pool (which waits between
// pieces) and the loop (which comes back when the client took them). Attached, always.
#pragma once

#include <memory>
#include <string>

#include "server/base/result.h"
#include "server/http/quirks.h"
#include "server/http/response_head.h"
#include "server/python/refs.h"
#include "server/request/request.h"

namespace overbite::python {

// What never changes of the environ; a request is one PyDict_Copy and its own values.
class EnvironTemplate {
 public:
  static base::Result<EnvironTemplate> make(const std::string& script_name,
                                            bool multithread,
                                            const http::Quirks& quirks);
  // A fresh dict (os.environ is not in it). wsgi.input is an io.BytesIO of the request's body.
  Owned build(const request::Request& request) const;

 private:
  Owned template_;
  Owned bytes_io_;
  std::string script_name_;
  bool comma_cookies_ = false;
};

// Where a call's output goes, on the thread that steps the call. Each returns false, with a Python
// exception set, when the application must be told of an error (a refused header, a body longer
// than its Content-Length) or, without an exception, when the client is gone and iterating should
// stop.
class WsgiSink {
 public:
  virtual ~WsgiSink() = default;
  virtual bool on_head(const http::ResponseHead& head) = 0;
  virtual bool on_body(std::string_view piece) = 0;  // never empty
  virtual bool on_end() = 0;                         // the body is complete
  // The application said write(): what was given goes on its way before this returns.
  virtual bool send_now() = 0;
};

class WsgiCall {
 public:
  // Keeps the application, the environ and the sink's address for the call's life. `quirks`
  // outlives it.
  WsgiCall(Borrowed application, Owned the_environ, const http::Quirks& quirks, WsgiSink& sink);
  ~WsgiCall();  // close() was called, or calls it

  enum class Step {
    kMore,      // a piece went to the sink (or an empty one was skipped): call next() again
    kFinished,  // on_end was called, close() of the iterable too
    kFailed,    // the application, or the sink's refusal, raised: the exception is logged and
              // cleared, close() was called. head_sent() tells whether a 500 may still be written.
    kGone,  // the client is gone; close() was called
  };
  // Calls the application and takes its iterable.
  Step start();
  Step next();
  bool head_sent() const;
  // Whether what is still to come lies in memory: the iterable is a list or a tuple.
  bool rest_is_ready() const;

  struct State;  // the implementation's

 private:
  std::unique_ptr<State> state_;
};

}  // namespace overbite::python
