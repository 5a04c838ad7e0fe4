// The datagram channel: a socketpair that carries the rare messages both ways.
#pragma once

#include <deque>
#include <vector>

#include "server/base/unique_fd.h"
#include "server/handoff/messages.h"

namespace overbite::handoff {

// One end. Receiving: one thread. Sending: any thread through try_send; `send` belongs to one
// thread, because it keeps what did not fit.
class ChannelEnd {
 public:
  explicit ChannelEnd(base::UniqueFd fd);

  // For poll/epoll. Valid as long as the end.
  int fd() const { return fd_.get(); }

  // False when the kernel's queue is full; the message was not sent.
  [[nodiscard]] bool try_send(const Message& message);
  // Never blocks and never loses: what does not fit waits here until flush().
  void send(const Message& message);
  void flush();
  bool has_unsent() const { return !unsent_.empty(); }
  // Blocks, at most `timeout_ms`, until a send may succeed. Never call it attached to Python.
  void wait_writable(int timeout_ms) const;

  // Appends every message that is there.
  void receive_all(std::vector<Message>& out);
  // Nobody will receive here any more: from now on the peer's messages count as sent and are
  // dropped, so that it does not wait for room.
  void stop_receiving();

 private:
  base::UniqueFd fd_;
  std::deque<Message> unsent_;
};

struct Channel {
  ChannelEnd loop;
  ChannelEnd executor;

  static Channel open();
};

}  // namespace overbite::handoff
