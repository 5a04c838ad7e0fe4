#include "server/handoff/channel.h"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <utility>

#include "server/base/check.h"

namespace overbite::handoff {

ChannelEnd::ChannelEnd(base::UniqueFd fd) : fd_(std::move(fd)) { CHECK(fd_.valid()); }

bool ChannelEnd::try_send(const Message& message) {
  const auto sent = ::send(fd_.get(), &message, sizeof message, MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent < 0) {
    // The peer's end closes only after its thread has stopped: then nobody waits for the message.
    CHECK(errno == EAGAIN || errno == EPIPE || errno == ECONNRESET || errno == ECONNREFUSED ||
          errno == ENOTCONN);
    return errno != EAGAIN;
  }
  CHECK_EQ(sent, static_cast<ssize_t>(sizeof message));
  return true;
}

void ChannelEnd::send(const Message& message) {
  flush();
  if (!unsent_.empty() || !try_send(message)) {  // guard: message-overtakes
    unsent_.push_back(message);                  // guard: unsent-dropped
  }
}

void ChannelEnd::flush() {
  while (!unsent_.empty() && try_send(unsent_.front())) {
    unsent_.pop_front();
  }
}

void ChannelEnd::wait_writable(int timeout_ms) const {
  pollfd entry{.fd = fd_.get(), .events = POLLOUT, .revents = 0};
  ::poll(&entry, 1, timeout_ms);
}

void ChannelEnd::receive_all(std::vector<Message>& out) {
  Message message;
  while (::recv(fd_.get(), &message, sizeof message, MSG_DONTWAIT) ==
         static_cast<ssize_t>(sizeof message)) {
    out.push_back(message);
  }
}

void ChannelEnd::stop_receiving() {
  CHECK(::shutdown(fd_.get(), SHUT_RD) == 0);  // the peer gets EPIPE, once there is room
  std::vector<Message> dropped;
  receive_all(dropped);
}

Channel Channel::open() {
  int fds[2] = {-1, -1};
  CHECK(::socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds) == 0);
  return Channel{ChannelEnd(base::UniqueFd(fds[0])), ChannelEnd(base::UniqueFd(fds[1]))};
}

}  // namespace overbite::handoff
