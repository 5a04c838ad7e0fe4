#include "server/net/listener.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "server/base/limits.h"

namespace overbite::net {

namespace {

constexpr std::int64_t kAcceptRestMs = 100;

SocketAddress from_sockaddr(const sockaddr_storage& storage) {
  char text[INET6_ADDRSTRLEN] = "";
  if (storage.ss_family == AF_INET) {
    const auto& address = reinterpret_cast<const sockaddr_in&>(storage);
    ::inet_ntop(AF_INET, &address.sin_addr, text, sizeof text);
    return {text, ntohs(address.sin_port)};
  }
  if (storage.ss_family == AF_INET6) {
    const auto& address = reinterpret_cast<const sockaddr_in6&>(storage);
    ::inet_ntop(AF_INET6, &address.sin6_addr, text, sizeof text);
    return {text, ntohs(address.sin6_port)};
  }
  return {};
}

}  // namespace

SocketAddress SocketAddress::local(int fd) {
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;
  return ::getsockname(fd, reinterpret_cast<sockaddr*>(&storage), &size) == 0
             ? from_sockaddr(storage)
             : SocketAddress{};
}

SocketAddress SocketAddress::peer(int fd) {
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;
  return ::getpeername(fd, reinterpret_cast<sockaddr*>(&storage), &size) == 0
             ? from_sockaddr(storage)
             : SocketAddress{};
}

base::Result<BoundSocket> BoundSocket::bind(const std::string& host, int port) {
  const auto failed = [&](const char* reason) {
    return base::Error{fmt::format("cannot listen on {}:{}: {}", host, port, reason)};
  };
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (error != 0) {
    return failed(::gai_strerror(error));
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, ::freeaddrinfo);
  base::UniqueFd fd(
      ::socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, found->ai_protocol));
  if (!fd.valid()) {
    return failed(std::strerror(errno));
  }
  const int on = 1;
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(fd.get(), found->ai_addr, found->ai_addrlen) != 0 ||
      ::listen(fd.get(), limits::kBacklog) != 0) {
    return failed(std::strerror(errno));
  }
  const SocketAddress address = SocketAddress::local(fd.get());
  BoundSocket socket;
  socket.fd = std::move(fd);
  socket.host = address.host;
  socket.port = address.port;
  return socket;
}

Listener::Listener(EventLoop& loop,
                   BoundSocket socket,
                   std::function<void(base::UniqueFd)> on_accept)
    : loop_(loop),
      socket_(std::move(socket)),
      on_accept_(std::move(on_accept)),
      rest_(loop.timers(), [this] { loop_.modify(socket_.fd.get(), EPOLLIN, *this); }) {
  loop_.add(socket_.fd.get(), EPOLLIN, *this);
}

void Listener::close() {
  if (socket_.fd.valid()) {
    rest_.cancel();
    loop_.remove(socket_.fd.get());
    socket_.fd.reset();
  }
}

void Listener::on_events(std::uint32_t) {
  for (int i = 0; i < limits::kAcceptsPerPassMax && accept_one(); ++i) {
  }
}

void Listener::accept_waiting() {
  for (int i = 0; i < limits::kBacklog && accept_one(); ++i) {
  }
}

bool Listener::accept_one() {
  if (!socket_.fd.valid()) {
    return false;
  }
  base::UniqueFd fd(::accept4(socket_.fd.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!fd.valid()) {
    if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
      loop_.modify(socket_.fd.get(), 0, *this);
      rest_.arm_after(kAcceptRestMs);
    }
    return false;  // or EAGAIN, or a connection that died in the backlog
  }
  const int on = 1;
  ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  on_accept_(std::move(fd));
  return true;
}

}  // namespace overbite::net
