// What the loop's side of a request needs from whoever runs applications. Loop thread only.
#pragma once

#include <cstddef>
#include <memory>

#include "server/base/slot_ref.h"
#include "server/handoff/drain.h"
#include "server/request/request.h"

namespace overbite::request {

class ExecutorPort {
 public:
  virtual ~ExecutorPort() = default;

  // Whether a request is submitted only when its body is complete (WSGI).
  virtual bool wants_whole_body() const = 0;

  // False: no room; the request stays with the caller, who tries again after the next pass.
  [[nodiscard]] virtual bool submit(base::SlotRef slot, std::unique_ptr<Request>& request) = 0;
  [[nodiscard]] virtual bool send_body(base::SlotRef slot, std::unique_ptr<BodyPiece>& piece) = 0;
  // The client is gone: nothing of this slot will be written any more.
  virtual void disconnect(base::SlotRef slot) = 0;
  // The client shut its sending side behind a complete request.
  virtual void half_close(base::SlotRef slot) = 0;
  // The client took `bytes` of the slot's stream.
  virtual void grant(base::SlotRef slot, std::size_t bytes) = 0;

  // The server is stopping: responses from now on say "connection: close".
  virtual void announce_stop() = 0;
  // Applications that still stream are told that their client is going (http.disconnect).
  virtual void end_streams() = 0;
  // The loop has served its last request and will not look at the port again.
  virtual void loop_finished() = 0;

  // Around a pass of the event loop: true when the loop may block.
  [[nodiscard]] virtual bool may_sleep() = 0;
  virtual void woke() = 0;
  // Applies everything that has come back, and runs what is due on this thread.
  virtual void run(handoff::BatchHandler& handler) = 0;
};

}  // namespace overbite::request
