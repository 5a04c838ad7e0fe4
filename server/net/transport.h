// One client's socket: what it sends, and what it still has to take. Loop thread only.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "server/base/unique_fd.h"
#include "server/net/event_loop.h"
#include "server/net/timer.h"

namespace overbite::net {

class TransportOwner {
 public:
  virtual ~TransportOwner() = default;
  virtual void on_data(std::string_view bytes) = 0;
  // The peer shut its sending side; it may still read.
  virtual void on_end_of_input() = 0;
  // The peer has shut its sending side while reading is paused: what it sent before is still to
  // come, and on_end_of_input() behind it.
  virtual void on_end_ahead() = 0;
  // The kernel took `bytes` of what was written.
  virtual void on_written(std::size_t bytes) = 0;
  // The connection is over: reset, failed write, or our own close once everything was written. The
  // last call an owner gets.
  virtual void on_closed() = 0;
};

class Transport final : public EventHandler {
 public:
  // The owner and the loop outlive the transport; the owner must not destroy it inside a callback.
  Transport(EventLoop& loop, base::UniqueFd fd, TransportOwner& owner);
  ~Transport() override;

  // Sends what the kernel takes now and keeps the rest, in order. After close() it is ignored.
  void write(std::string bytes);
  std::size_t unwritten() const { return out_.size() - out_offset_; }
  // Ends the connection once everything is written. No more input is delivered. `more_may_come`:
  // the client may still be sending, or have sent; then what it sends is dropped for a while first
  // (RFC 9112 9.6: a reset could take the last answer with it).
  void close(bool more_may_come = false);
  // Ends it now.
  void abort();
  bool closing() const { return closing_; }

  // Delivers what has already arrived, as if the socket had been reported ready.
  void read_now();
  void pause_reading();
  void resume_reading();

  void on_events(std::uint32_t events) override;

 private:
  void drop_input();
  void flush();
  void end_output();
  void update_interest();
  void finish();

  EventLoop& loop_;
  base::UniqueFd fd_;
  TransportOwner& owner_;
  std::string out_;
  std::size_t out_offset_ = 0;
  std::uint32_t interest_ = 0;
  bool paused_ = false;
  bool end_ahead_ = false;
  bool input_ended_ = false;
  bool closing_ = false;
  bool more_may_come_ = false;
  bool lingering_ = false;  // our end is shut, and input is dropped
  bool finished_ = false;
  Timer linger_;
};

}  // namespace overbite::net
