#include "server/net/transport.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <cerrno>
#include <utility>

#include "server/base/limits.h"

namespace overbite::net {

Transport::Transport(EventLoop& loop, base::UniqueFd fd, TransportOwner& owner)
    : loop_(loop), fd_(std::move(fd)), owner_(owner) {
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
  if (closing_ && out_.empty()) {
    finish();
  }
}

void Transport::close() {
  if (closing_) {
    return;
  }
  closing_ = true;
  if (out_.empty()) {
    finish();
  } else {
    update_interest();
  }
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
  if (!paused_ && !input_ended_ && !closing_) {
    wanted |= EPOLLIN;
  }
  if (!out_.empty()) {
    wanted |= EPOLLOUT;
  }
  if (wanted != interest_) {
    interest_ = wanted;
    loop_.modify(fd_.get(), wanted, *this);
  }
}

void Transport::read_once() {
  static thread_local std::string buffer(limits::kReadBytesMax, '\0');
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
  if (!finished_ && (events & EPOLLIN) != 0 && !paused_ && !input_ended_ && !closing_) {
    read_once();
  }
}

}  // namespace overbite::net
