// socketpair(AF_UNIX, SOCK_DGRAM), eventfd, poll and what is done with such descriptors.
//
// A datagram carries happens-before from its send to its receive, an eventfd from every write to
// the read that takes it; poll carries none. The kernel's locks do give that order on one machine,
// C++ promises nothing: a protocol that must hold without it needs another proof.
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "ordering/runtime/machine.h"
#include "ordering/runtime/real_call.h"

namespace {

using overbite::ordering::Descriptor;
using overbite::ordering::FailureKind;
using overbite::ordering::kAcquire;
using overbite::ordering::kQueueCapacity;
using overbite::ordering::kRelaxed;
using overbite::ordering::kRelease;
using overbite::ordering::Machine;
using overbite::ordering::ModelCall;
using overbite::ordering::ObjectId;
using overbite::ordering::ObjectKind;
using overbite::ordering::Operation;
using overbite::ordering::OpKind;
using overbite::ordering::queue_state;
using overbite::ordering::QueueState;
using overbite::ordering::real_call;
using overbite::ordering::Result;

ssize_t failed(int error) {
  errno = error;
  return -1;
}

// The model's descriptor, or the end of the run: any other could block.
Descriptor& known(Machine& machine, int fd, const char* call) {
  Descriptor* descriptor = machine.objects().find_descriptor(fd);
  if (descriptor == nullptr) {
    machine.stop_unmodelled(std::string(call) +
                            " on a descriptor the scenario did not open itself");
  }
  if (descriptor->closed) {
    machine.fail(FailureKind::kCrash, std::string(call) + " on a closed descriptor");
  }
  return *descriptor;
}

Operation operation(OpKind kind, ObjectId object, bool non_blocking, const void* pc) {
  Operation op;
  op.kind = kind;
  op.object = object;
  op.non_blocking = non_blocking;
  op.limit = kQueueCapacity;
  op.pc = pc;
  return op;
}

ssize_t do_send(
    Machine& machine, int fd, const void* bytes, std::size_t size, int flags, const void* pc) {
  const Descriptor descriptor = known(machine, fd, "send");
  if (descriptor.kind != ObjectKind::kQueue) {
    return failed(ENOTSOCK);
  }
  const bool non_blocking = descriptor.non_blocking || (flags & MSG_DONTWAIT) != 0;
  machine.access({bytes, size, false, pc});
  const Result result =
      machine.perform(operation(OpKind::kSend, descriptor.peer, non_blocking, pc));
  const QueueState before = queue_state(result.read);
  if (!result.succeeded) {
    return failed(before.reading_closed ? ECONNREFUSED : EAGAIN);
  }
  machine.put_datagram(descriptor.peer, before.sent + 1, bytes, size);
  return static_cast<ssize_t>(size);
}

ssize_t do_receive(
    Machine& machine, int fd, void* bytes, std::size_t size, int flags, const void* pc) {
  const Descriptor descriptor = known(machine, fd, "recv");
  if (descriptor.kind != ObjectKind::kQueue) {
    return failed(ENOTSOCK);
  }
  const bool non_blocking = descriptor.non_blocking || (flags & MSG_DONTWAIT) != 0;
  const Result result =
      machine.perform(operation(OpKind::kReceive, descriptor.object, non_blocking, pc));
  const QueueState before = queue_state(result.read);
  if (before.sent == before.received) {
    return non_blocking && !before.writing_closed ? failed(EAGAIN) : failed(ECONNRESET);
  }
  const std::vector<char>& datagram = machine.datagram(descriptor.object, before.received + 1);
  const std::size_t taken = std::min(size, datagram.size());
  machine.access({bytes, taken, true, pc});
  std::memcpy(bytes, datagram.data(), taken);
  return static_cast<ssize_t>(taken);
}

ssize_t write_eventfd(Machine& machine,
                      const Descriptor& descriptor,
                      const void* bytes,
                      std::size_t size,
                      const void* pc) {
  if (size < sizeof(std::uint64_t)) {
    return failed(EINVAL);
  }
  Operation op = operation(OpKind::kAdd, descriptor.object, descriptor.non_blocking, pc);
  op.order = kRelease;
  std::memcpy(&op.operand.low, bytes, sizeof op.operand.low);
  return machine.perform(op).succeeded ? ssize_t{sizeof(std::uint64_t)} : failed(EAGAIN);
}

ssize_t read_eventfd(
    Machine& machine, const Descriptor& descriptor, void* bytes, std::size_t size, const void* pc) {
  if (size < sizeof(std::uint64_t)) {
    return failed(EINVAL);
  }
  Operation op = operation(OpKind::kTake, descriptor.object, descriptor.non_blocking, pc);
  op.order = kAcquire;
  op.limit = descriptor.one_at_a_time ? 1 : 0;
  const Result result = machine.perform(op);
  if (!result.succeeded) {
    return failed(EAGAIN);
  }
  const std::uint64_t value = descriptor.one_at_a_time ? 1 : result.read.low;
  machine.access({bytes, sizeof value, true, pc});
  std::memcpy(bytes, &value, sizeof value);
  return sizeof value;
}

// One look at one descriptor for one event.
bool is_ready(Machine& machine, ObjectId object, int event, const void* pc) {
  Operation op = operation(OpKind::kPoll, object, true, pc);
  op.operand.low = static_cast<std::uint64_t>(event);
  if (machine.objects().kind_of(object) == ObjectKind::kCounter) {
    op.limit = 0;
  }
  return machine.perform(op).succeeded;
}

// Like the kernel it looks at one after the other; only what it waits for at the end is atomic.
int do_poll(Machine& machine, pollfd* fds, nfds_t count, int timeout_ms, const void* pc) {
  const std::int64_t deadline_ns =
      timeout_ms > 0 ? machine.now_ns() + std::int64_t{timeout_ms} * 1'000'000 : -1;
  while (true) {
    int ready = 0;
    int looks = 0;
    for (nfds_t i = 0; i < count; ++i) {
      const Descriptor descriptor = known(machine, fds[i].fd, "poll");
      int seen = 0;
      if ((fds[i].events & POLLIN) != 0) {
        ++looks;
        seen |= is_ready(machine, descriptor.object, POLLIN, pc) ? POLLIN : 0;
      }
      if ((fds[i].events & POLLOUT) != 0 && descriptor.kind == ObjectKind::kCounter) {
        seen |= POLLOUT;
      } else if ((fds[i].events & POLLOUT) != 0) {
        ++looks;
        seen |= is_ready(machine, descriptor.peer, POLLOUT, pc) ? POLLOUT : 0;
      }
      fds[i].revents = static_cast<short>(seen);
      ready += seen != 0 ? 1 : 0;
    }
    if (ready != 0 || timeout_ms == 0 || !machine.wait_for_change(looks, deadline_ns)) {
      return ready;
    }
  }
}

}  // namespace

extern "C" {

int socketpair(int domain, int type, int protocol, int fds[2]) {
  const ModelCall call;
  if (!call) {
    static auto* const real = real_call<decltype(socketpair)>("socketpair");
    return real(domain, type, protocol, fds);
  }
  if (domain != AF_UNIX || (type & ~(SOCK_NONBLOCK | SOCK_CLOEXEC)) != SOCK_DGRAM) {
    call->stop_unmodelled("socketpair of another kind than AF_UNIX, SOCK_DGRAM");
  }
  Descriptor end;
  end.kind = ObjectKind::kQueue;
  end.non_blocking = (type & SOCK_NONBLOCK) != 0;
  end.object = call->objects().anonymous(call->thread(), ObjectKind::kQueue);
  end.peer = call->objects().anonymous(call->thread(), ObjectKind::kQueue);
  fds[0] = call->objects().open(call->thread(), end);
  std::swap(end.object, end.peer);
  fds[1] = call->objects().open(call->thread(), end);
  return 0;
}

int eventfd(unsigned initial, int flags) {
  const ModelCall call;
  if (!call) {
    static auto* const real = real_call<decltype(eventfd)>("eventfd");
    return real(initial, flags);
  }
  Descriptor counter;
  counter.non_blocking = (flags & EFD_NONBLOCK) != 0;
  counter.one_at_a_time = (flags & EFD_SEMAPHORE) != 0;
  counter.object = call->objects().anonymous(call->thread(), ObjectKind::kCounter);
  call->objects().set_initial(counter.object, initial);
  return call->objects().open(call->thread(), counter);
}

ssize_t send(int fd, const void* bytes, size_t size, int flags) {
  const ModelCall call;
  if (!call) {
    static auto* const real = real_call<decltype(send)>("send");
    return real(fd, bytes, size, flags);
  }
  return do_send(*call, fd, bytes, size, flags, __builtin_return_address(0));
}

ssize_t recv(int fd, void* bytes, size_t size, int flags) {
  const ModelCall call;
  if (!call) {
    static auto* const real = real_call<decltype(recv)>("recv");
    return real(fd, bytes, size, flags);
  }
  return do_receive(*call, fd, bytes, size, flags, __builtin_return_address(0));
}

ssize_t write(int fd, const void* bytes, size_t size) {
  const ModelCall call;
  if (!call || fd == STDERR_FILENO || fd == STDOUT_FILENO) {
    static auto* const real = real_call<decltype(write)>("write");
    return real(fd, bytes, size);
  }
  const void* pc = __builtin_return_address(0);
  const Descriptor descriptor = known(*call, fd, "write");
  return descriptor.kind == ObjectKind::kCounter ? write_eventfd(*call, descriptor, bytes, size, pc)
                                                 : do_send(*call, fd, bytes, size, 0, pc);
}

ssize_t read(int fd, void* bytes, size_t size) {
  const ModelCall call;
  if (!call) {
    static auto* const real = real_call<decltype(read)>("read");
    return real(fd, bytes, size);
  }
  const void* pc = __builtin_return_address(0);
  const Descriptor descriptor = known(*call, fd, "read");
  return descriptor.kind == ObjectKind::kCounter ? read_eventfd(*call, descriptor, bytes, size, pc)
                                                 : do_receive(*call, fd, bytes, size, 0, pc);
}

int poll(pollfd* fds, nfds_t count, int timeout_ms) {
  const ModelCall call;
  if (!call) {
    static auto* const real = real_call<decltype(poll)>("poll");
    return real(fds, count, timeout_ms);
  }
  return do_poll(*call, fds, count, timeout_ms, __builtin_return_address(0));
}

int shutdown(int fd, int how) {
  const ModelCall call;
  if (!call) {
    static auto* const real = real_call<decltype(shutdown)>("shutdown");
    return real(fd, how);
  }
  const Descriptor descriptor = known(*call, fd, "shutdown");
  if (descriptor.kind != ObjectKind::kQueue || how != SHUT_RD) {
    call->stop_unmodelled("shutdown of more than a channel's reading side");
  }
  const void* pc = __builtin_return_address(0);
  call->perform(operation(OpKind::kCloseReading, descriptor.object, true, pc));
  return 0;
}

int close(int fd) {
  const ModelCall call;
  if (!call) {
    static auto* const real = real_call<decltype(close)>("close");
    return real(fd);
  }
  const void* pc = __builtin_return_address(0);
  Descriptor& descriptor = known(*call, fd, "close");
  if (descriptor.kind == ObjectKind::kQueue) {
    call->perform(operation(OpKind::kCloseReading, descriptor.object, true, pc));
    call->perform(operation(OpKind::kCloseWriting, descriptor.peer, true, pc));
  }
  descriptor.closed = true;
  return 0;
}

}  // extern "C"
