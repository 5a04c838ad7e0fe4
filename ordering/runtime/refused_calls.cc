// Calls that can block and are not modelled. From model code each ends the run and is named: it
// would stop every fiber at once, or wait for something only a fiber could do.
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>

#include "ordering/runtime/machine.h"
#include "ordering/runtime/real_call.h"

namespace {

using overbite::ordering::Machine;
using overbite::ordering::real_call;

void refuse(const char* call) {
  if (Machine* machine = Machine::enter()) {
    machine->stop_unmodelled(call);
  }
}

}  // namespace

extern "C" {

int select(int a, fd_set* b, fd_set* c, fd_set* d, timeval* e) {
  refuse("select");
  static auto* const real = real_call<decltype(select)>("select");
  return real(a, b, c, d, e);
}
int ppoll(pollfd* a, nfds_t b, const timespec* c, const sigset_t* d) {
  refuse("ppoll");
  static auto* const real = real_call<decltype(ppoll)>("ppoll");
  return real(a, b, c, d);
}
int epoll_wait(int a, epoll_event* b, int c, int d) {
  refuse("epoll_wait");
  static auto* const real = real_call<decltype(epoll_wait)>("epoll_wait");
  return real(a, b, c, d);
}
int epoll_pwait(int a, epoll_event* b, int c, int d, const sigset_t* e) {
  refuse("epoll_pwait");
  static auto* const real = real_call<decltype(epoll_pwait)>("epoll_pwait");
  return real(a, b, c, d, e);
}
int accept(int a, sockaddr* b, socklen_t* c) {
  refuse("accept");
  static auto* const real = real_call<decltype(accept)>("accept");
  return real(a, b, c);
}
int accept4(int a, sockaddr* b, socklen_t* c, int d) {
  refuse("accept4");
  static auto* const real = real_call<decltype(accept4)>("accept4");
  return real(a, b, c, d);
}
int connect(int a, const sockaddr* b, socklen_t c) {
  refuse("connect");
  static auto* const real = real_call<decltype(connect)>("connect");
  return real(a, b, c);
}
ssize_t recvfrom(int a, void* b, size_t c, int d, sockaddr* e, socklen_t* f) {
  refuse("recvfrom");
  static auto* const real = real_call<decltype(recvfrom)>("recvfrom");
  return real(a, b, c, d, e, f);
}
ssize_t recvmsg(int a, msghdr* b, int c) {
  refuse("recvmsg");
  static auto* const real = real_call<decltype(recvmsg)>("recvmsg");
  return real(a, b, c);
}
ssize_t sendto(int a, const void* b, size_t c, int d, const sockaddr* e, socklen_t f) {
  refuse("sendto");
  static auto* const real = real_call<decltype(sendto)>("sendto");
  return real(a, b, c, d, e, f);
}
ssize_t sendmsg(int a, const msghdr* b, int c) {
  refuse("sendmsg");
  static auto* const real = real_call<decltype(sendmsg)>("sendmsg");
  return real(a, b, c);
}
ssize_t readv(int a, const iovec* b, int c) {
  refuse("readv");
  static auto* const real = real_call<decltype(readv)>("readv");
  return real(a, b, c);
}
ssize_t writev(int a, const iovec* b, int c) {
  refuse("writev");
  static auto* const real = real_call<decltype(writev)>("writev");
  return real(a, b, c);
}
int pause() {
  refuse("pause");
  static auto* const real = real_call<decltype(pause)>("pause");
  return real();
}
pid_t waitpid(pid_t a, int* b, int c) {
  refuse("waitpid");
  static auto* const real = real_call<decltype(waitpid)>("waitpid");
  return real(a, b, c);
}

}  // extern "C"
