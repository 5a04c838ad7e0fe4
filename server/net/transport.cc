#include "server/net/transport.h"

#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cerrno>
#include <utility>

#include "server/base/limits.h"

namespace overbite::net {

namespace {

// One for all connections of the thread: what was read is used up at once.
std::string& read_buffer() {
  static thread_local std::string buffer(limits::kReadBytesMax, '\0');
  return buffer;
}

bool has_unread_input(int fd) {
  int bytes = 0;
  return ::ioctl(fd, FIONREAD, &bytes) == 0 && bytes > 0;
}

}  // namespace

Transport::Transport(EventLoop& loop, base::UniqueFd fd, TransportOwner& owner)
    : loop_(loop), fd_(std::move(fd)), owner_(owner), linger_(loop.timers(), [this] { finish(); }) {
  interest_ = EPOLLIN;
  loop_.add(fd_.get(), interest_, *this);
}

Transport::~Transport() {
  if (fd_.valid()) {
    loop_.remove(fd_.get());
  }
}

void Transport::write(std::string bytes) {
  if (closing_ || bytes.empty()) {
    return;
  }
  if (out_offset_ == out_.size()) {
    out_ = std::move(bytes);
    out_offset_ = 0;
    flush();
  } else {
    out_.append(bytes);
  }
}

void Transport::flush() {
  std::size_t taken = 0;
  while (out_offset_ < out_.size()) {
    const auto sent = ::send(fd_.get(),
                             out_.data() + out_offset_,
                             out_.size() - out_offset_,
                             MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0) {
      if (errno == EINTR) {
        continue;
      }
      if (errno != EAGAIN) {
        out_.clear();
        out_offset_ = 0;
        finish();
        return;
      }
      break;
    }
    out_offset_ += static_cast<std::size_t>(sent);
    taken += static_cast<std::size_t>(sent);
  }
  if (out_offset_ == out_.size()) {
    out_.clear();
    out_offset_ = 0;
  } else if (out_offset_ > limits::kWriteHighWaterBytes &&
             out_offset_ > out_.size() / 2) {  // guard: rest-moved-every-time
    out_.erase(0, out_offset_);
    out_offset_ = 0;
  }
  update_interest();
  if (taken > 0) {
    owner_.on_written(taken);
  }
  if (closing_ && !lingering_ && out_.empty()) {
    end_output();
  }
}

void Transport::close(bool more_may_come) {
  if (closing_) {
    return;
  }
  closing_ = true;
  more_may_come_ = more_may_come;
  if (out_.empty()) {
    end_output();
  } else {
    update_interest();
  }
}

void Transport::end_output() {
  const bool input_is_over =
      input_ended_ ||
      (!more_may_come_ && !has_unread_input(fd_.get()));  // guard: unread-input-reset
  if (input_is_over) {
    finish();
    return;
  }
  ::shutdown(fd_.get(), SHUT_WR);
  lingering_ = true;
  linger_.arm_after(limits::kLingerMs);  // guard: lingers-for-ever
  update_interest();
}

void Transport::abort() {
  closing_ = true;
  out_.clear();
  out_offset_ = 0;
  finish();
}

void Transport::finish() {
  if (finished_) {
    return;
  }
  finished_ = true;
  closing_ = true;
  linger_.cancel();
  loop_.remove(fd_.get());
  fd_.reset();
  owner_.on_closed();
}

void Transport::pause_reading() {
  paused_ = true;
  update_interest();
}

void Transport::resume_reading() {
  paused_ = false;
  update_interest();
}

void Transport::update_interest() {
  if (finished_) {
    return;
  }
  std::uint32_t wanted = 0;
  if (lingering_ || (!paused_ && !input_ended_ && !closing_)) {
    wanted |= EPOLLIN;
  }
  if (paused_ && !end_ahead_ && !closing_) {
    wanted |= EPOLLRDHUP;  // guard: end-ahead-unseen
  }
  if (!out_.empty()) {
    wanted |= EPOLLOUT;
  }
  if (wanted != interest_) {
    interest_ = wanted;
    loop_.modify(fd_.get(), wanted, *this);
  }
}

void Transport::read_now() {
  if (paused_ || input_ended_ || closing_) {
    return;
  }
  std::string& buffer = read_buffer();
  const auto got = ::recv(fd_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (got > 0) {
    owner_.on_data(std::string_view(buffer.data(), static_cast<std::size_t>(got)));
  } else if (got == 0) {
    input_ended_ = true;
    update_interest();
    owner_.on_end_of_input();
  } else if (errno != EAGAIN && errno != EINTR) {
    finish();
  }
}

void Transport::drop_input() {
  std::string& buffer = read_buffer();
  const auto got = ::recv(fd_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
    finish();
  }
}

void Transport::on_events(std::uint32_t events) {
  if (finished_) {
    return;
  }
  if ((events & (EPOLLERR | EPOLLHUP)) != 0 && (events & EPOLLIN) == 0) {
    finish();
    return;
  }
  if ((events & EPOLLOUT) != 0) {
    flush();
  }
  if (finished_) {
    return;
  }
  if ((events & EPOLLRDHUP) != 0 && paused_ && !end_ahead_ && !closing_) {
    end_ahead_ = true;
    update_interest();
    owner_.on_end_ahead();
  } else if ((events & EPOLLIN) != 0 && lingering_) {
    drop_input();
  } else if ((events & EPOLLIN) != 0) {
    read_now();
  }
}

}  // namespace overbite::net
