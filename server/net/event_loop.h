// epoll, level-triggered. One thread.
#pragma once

#include <cstdint>
#include <functional>

#include "server/base/unique_fd.h"
#include "server/net/timer.h"

namespace overbite::net {

class EventHandler {
 public:
  virtual ~EventHandler() = default;
  // `events` as epoll reports them. A handler that was removed during this pass may still be called
  // and must cope; it must therefore live until the pass is over.
  virtual void on_events(std::uint32_t events) = 0;
};

class EventLoop {
 public:
  EventLoop();

  void add(int fd, std::uint32_t events, EventHandler& handler);
  void modify(int fd, std::uint32_t events, EventHandler& handler);
  void remove(int fd);

  TimerQueue& timers() { return timers_; }

  // One pass: waits until something is ready, a timer is due, or at once when `block` is false;
  // then calls the handlers and the due timers. `before_wait` and `after_wait` surround a wait that
  // may block (detach from the interpreter, for a loop that runs attached).
  void run_once(bool block);
  std::function<void()> before_wait;
  std::function<void()> after_wait;

 private:
  base::UniqueFd epoll_;
  TimerQueue timers_;
};

}  // namespace overbite::net
