// Stand-in for epoll: one pass is one poll(2) over what was added. Timers never fire.
#pragma once

#include <poll.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace overbite::net {

class EventHandler {
 public:
  virtual ~EventHandler() = default;
  virtual void on_events(std::uint32_t events) = 0;
};

class EventLoop {
 public:
  void add(int fd, std::uint32_t events, EventHandler& handler) {
    fds_.push_back({fd, static_cast<short>(events), 0});
    handlers_.push_back(&handler);
  }
  void modify(int fd, std::uint32_t events, EventHandler& /*handler*/) {
    find(fd)->events = static_cast<short>(events);
  }
  void remove(int fd) {
    const auto found = find(fd);
    handlers_.erase(handlers_.begin() + (found - fds_.begin()));
    fds_.erase(found);
  }
  void run_once(bool block) {
    ::poll(fds_.data(), fds_.size(), block ? -1 : 0);
    std::vector<std::pair<EventHandler*, short>> ready;
    for (std::size_t i = 0; i < fds_.size(); ++i) {
      if (fds_[i].revents != 0) {
        ready.emplace_back(handlers_[i], fds_[i].revents);
      }
    }
    for (const auto& [handler, events] : ready) {
      handler->on_events(static_cast<std::uint32_t>(events));
    }
  }

 private:
  std::vector<pollfd>::iterator find(int fd) {
    return std::find_if(
        fds_.begin(), fds_.end(), [fd](const pollfd& entry) { return entry.fd == fd; });
  }

  std::vector<pollfd> fds_;
  std::vector<EventHandler*> handlers_;
};

}  // namespace overbite::net
