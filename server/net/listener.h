// A listening TCP socket.
#pragma once

#include <functional>
#include <string>

#include "server/base/result.h"
#include "server/base/unique_fd.h"
#include "server/net/event_loop.h"

namespace overbite::net {

// A bound, listening, non-blocking socket, and the address the kernel gave it.
struct BoundSocket {
  base::UniqueFd fd;
  std::string host;
  int port = 0;

  // Port 0 picks a free one. The error names host, port and the system's reason.
  static base::Result<BoundSocket> bind(const std::string& host, int port);
};

// The address of one end of a socket: numeric host and port; empty for anything but IPv4 and IPv6.
struct SocketAddress {
  std::string host;
  int port = 0;
  static SocketAddress local(int fd);
  static SocketAddress peer(int fd);
};

class Listener final : public EventHandler {
 public:
  // `on_accept` gets each connection. The loop outlives the listener.
  Listener(EventLoop& loop, BoundSocket socket, std::function<void(base::UniqueFd)> on_accept);
  ~Listener() override { close(); }

  // Accepts the connections that are waiting, and no more than the backlog holds; then close()
  // resets none of them.
  void accept_waiting();
  // Stops accepting and closes the socket.
  void close();
  void on_events(std::uint32_t events) override;

 private:
  bool accept_one();

  EventLoop& loop_;
  BoundSocket socket_;
  std::function<void(base::UniqueFd)> on_accept_;
  // Out of descriptors: accepting rests, so that the level-triggered socket does not spin the loop.
  Timer rest_;
};

}  // namespace overbite::net
