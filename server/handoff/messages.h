// Everything that crosses between the loop thread and the threads that run applications.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "server/base/payload.h"
#include "server/base/slot_ref.h"

namespace overbite::handoff {

using base::SlotRef;

// Loop -> executor, by the submit ring or the job queue.
enum class JobKind : std::uint8_t {
  kStart,  // payload: the request; the executor owns it from here
  kBody,   // payload: a piece of the running request's body
};

struct Job {
  JobKind kind = JobKind::kStart;
  SlotRef slot;
  std::unique_ptr<base::Payload> payload;
};

// Executor -> loop, by the completion ring.
enum class CompletionKind : std::uint8_t {
  kInterim,  // payload: an interim response (100); more follows
  kDone,     // payload: a whole response, or none when the client was gone: the slot is finished
  kBegin,    // payload: the head of a stream (and what was ready of its body); frames follow
};

struct Completion {
  CompletionKind kind = CompletionKind::kDone;
  SlotRef slot;
  std::unique_ptr<base::Payload> payload;
};

// Either direction, by the datagram channel: rare, small, fixed size, owns nothing.
enum class MessageKind : std::uint8_t {
  kAbort,       // executor -> loop: the stream ended abnormally; the slot is finished
  kHeartbeat,   // executor -> loop: the stream's owner is alive
  kReadMore,    // executor -> loop: the application took the body it had; read on
  kLateError,   // executor -> loop: the application failed behind its complete response (a quirk)
  kDisconnect,  // loop -> executor: the client of this slot is gone (the disconnect tag)
  kHalfClose,   // loop -> executor: the client of this slot sends no more, but may still read
  kCredit,      // loop -> executor: the stream may be fed again
  kStop,        // loop -> executor: the server is stopping, responses close. No slot.
  kEndStreams,  // loop -> executor: half of the grace period is over, applications are told. No
                // slot.
  kFinished,    // loop -> executor: the loop has served its last request. No slot.
};

struct Message {
  MessageKind kind = MessageKind::kAbort;
  SlotRef slot;
};

// Executor -> loop, by the chunk channel: a piece of a stream's body as it goes on the wire.
struct Frame {
  SlotRef slot;
  std::string bytes;
  bool last = false;             // the stream is complete and the slot finished
  bool needs_no_credit = false;  // what was accepted before an abnormal end
};

}  // namespace overbite::handoff
