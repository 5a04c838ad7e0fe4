#include "server/net/event_loop.h"

#include <sys/epoll.h>

#include <array>
#include <cerrno>

#include "server/base/check.h"

namespace overbite::net {

EventLoop::EventLoop() : epoll_(::epoll_create1(EPOLL_CLOEXEC)) { CHECK(epoll_.valid()); }

void EventLoop::add(int fd, std::uint32_t events, EventHandler& handler) {
  epoll_event event{};
  event.events = events;
  event.data.ptr = &handler;
  CHECK(::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) == 0);
}

void EventLoop::modify(int fd, std::uint32_t events, EventHandler& handler) {
  epoll_event event{};
  event.events = events;
  event.data.ptr = &handler;
  CHECK(::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event) == 0);
}

void EventLoop::remove(int fd) {
  CHECK(::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr) == 0);
}

void EventLoop::run_once(bool block) {
  std::array<epoll_event, 256> events;
  const int timeout = block ? timers_.timeout_ms() : 0;
  const bool may_sleep = timeout != 0;
  if (may_sleep && before_wait) {
    before_wait();
  }
  const int count = ::epoll_wait(epoll_.get(), events.data(), events.size(), timeout);
  const int error = errno;
  if (may_sleep && after_wait) {
    after_wait();
  }
  CHECK(count >= 0 || error == EINTR);
  for (int i = 0; i < count; ++i) {
    static_cast<EventHandler*>(events[i].data.ptr)->on_events(events[i].events);
  }
  timers_.run_due();
}

}  // namespace overbite::net
