// What a message between threads owns. The hand-off layer moves payloads and never looks inside.
#pragma once

namespace overbite::base {

struct Payload {
  Payload() = default;
  Payload(const Payload&) = delete;
  Payload& operator=(const Payload&) = delete;
  virtual ~Payload() = default;
};

}  // namespace overbite::base
