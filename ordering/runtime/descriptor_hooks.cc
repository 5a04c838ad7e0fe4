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
#include <limits>

#include "ordering/runtime/machine.h"
#include "ordering/runtime/real_call.h"

namespace {

using overbite::ordering::Datagram;
using overbite::ordering::FailureKind;
using overbite::ordering::kChannelCapacity;
using overbite::ordering::kPollEntriesMax;
using overbite::ordering::Machine;
using overbite::ordering::ModelCall;
using overbite::ordering::Object;
using overbite::ordering::ObjectId;
using overbite::ordering::ObjectKind;
using overbite::ordering::Operation;
using overbite::ordering::OpKind;
using overbite::ordering::readiness;
using overbite::ordering::real_call;

ssize_t failed(int error) {
  errno = error;
  return -1;
}

// The model's object, or the end of the run: any other descriptor could block.
ObjectId known(Machine& machine, int fd, const char* call) {
  ObjectId id = 0;
  if (!machine.objects().find_descriptor(fd, id)) {
    machine.stop_unmodelled(std::string(call) +
                            " on a descriptor the scenario did not open itself");
  }
  if (machine.objects()[id].closed) {
    machine.fail(FailureKind::kCrash, std::string(call) + " on a closed descriptor");
  }
  return id;
}

Operation operation(OpKind kind, ObjectId id, bool non_blocking, const void* pc) {
  Operation op;
  op.kind = kind;
  op.object = id;
  op.non_blocking = non_blocking;
  op.pc = pc;
  return op;
}

std::uint64_t value_at(const void* bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

ssize_t do_send(
    Machine& machine, int fd, const void* bytes, std::size_t size, int flags, const void* pc) {
  const ObjectId id = known(machine, fd, "send");
  if (machine.objects()[id].kind != ObjectKind::kChannelEnd) {
    return failed(ENOTSOCK);
  }
  const bool non_blocking = machine.objects()[id].non_blocking || (flags & MSG_DONTWAIT) != 0;
  machine.access({bytes, size, false, false, pc});
  machine.reach(operation(OpKind::kSend, id, non_blocking, pc));
  Object& peer = machine.objects()[machine.objects()[id].peer];
  machine.event().succeeded = !peer.closed && peer.incoming.size() < kChannelCapacity;
  if (peer.closed) {
    return failed(ECONNREFUSED);
  }
  if (!machine.event().succeeded) {
    return failed(EAGAIN);
  }
  const auto* from = static_cast<const char*>(bytes);
  machine.event().datagram = machine.log_datagram(bytes, size);
  peer.incoming.push_back({{from, from + size}, machine.release(), machine.event().datagram});
  machine.event().written = ++peer.sent_to;
  return static_cast<ssize_t>(size);
}

ssize_t do_receive(
    Machine& machine, int fd, void* bytes, std::size_t size, int flags, const void* pc) {
  const ObjectId id = known(machine, fd, "recv");
  if (machine.objects()[id].kind != ObjectKind::kChannelEnd) {
    return failed(ENOTSOCK);
  }
  const bool non_blocking = machine.objects()[id].non_blocking || (flags & MSG_DONTWAIT) != 0;
  machine.reach(operation(OpKind::kReceive, id, non_blocking, pc));
  Object& end = machine.objects()[id];
  machine.event().succeeded = !end.incoming.empty();
  if (end.incoming.empty()) {
    return non_blocking ? failed(EAGAIN) : failed(ECONNRESET);
  }
  const Datagram datagram = std::move(end.incoming.front());
  end.incoming.pop_front();
  machine.event().read = ++end.received_from;
  machine.acquire(datagram.clock);
  const std::size_t taken = std::min(size, datagram.bytes.size());
  machine.event().datagram = datagram.number;
  machine.access({bytes, taken, true, false, pc});
  std::memcpy(bytes, datagram.bytes.data(), taken);
  return static_cast<ssize_t>(taken);
}

ssize_t write_eventfd(
    Machine& machine, ObjectId id, const void* bytes, std::size_t size, const void* pc) {
  if (size < sizeof(std::uint64_t)) {
    return failed(EINVAL);
  }
  machine.reach(operation(OpKind::kEventWrite, id, true, pc));
  Object& object = machine.objects()[id];
  machine.event().written = value_at(bytes);
  if (object.counter > std::numeric_limits<std::uint64_t>::max() - 1 - machine.event().written) {
    machine.stop_unmodelled("eventfd overflow");
  }
  object.counter += machine.event().written;
  object.clock.join(machine.release());
  return sizeof(std::uint64_t);
}

ssize_t read_eventfd(Machine& machine, ObjectId id, void* bytes, std::size_t size, const void* pc) {
  if (size < sizeof(std::uint64_t)) {
    return failed(EINVAL);
  }
  const bool non_blocking = machine.objects()[id].non_blocking;
  machine.reach(operation(OpKind::kEventRead, id, non_blocking, pc));
  Object& object = machine.objects()[id];
  machine.event().succeeded = object.counter != 0;
  if (object.counter == 0) {
    return failed(EAGAIN);
  }
  machine.event().read = object.counter;
  machine.acquire(object.clock);
  machine.access({bytes, sizeof object.counter, true, false, pc});
  std::memcpy(bytes, &object.counter, sizeof object.counter);
  object.counter = 0;
  return sizeof(std::uint64_t);
}

int do_poll(Machine& machine, pollfd* fds, nfds_t count, int timeout_ms, const void* pc) {
  if (count > static_cast<nfds_t>(kPollEntriesMax)) {
    machine.stop_unmodelled("poll of more than 4 descriptors");
  }
  Operation op = operation(OpKind::kPoll, 0, timeout_ms == 0, pc);
  if (timeout_ms > 0) {
    op.deadline_ns = machine.now_ns() + std::int64_t{timeout_ms} * 1'000'000;
  }
  op.polled_count = static_cast<int>(count);
  for (std::size_t i = 0; i < count; ++i) {
    op.polled[i] = {known(machine, fds[i].fd, "poll"), fds[i].events};
  }
  machine.reach(op);
  int ready = 0;
  for (std::size_t i = 0; i < count; ++i) {
    fds[i].revents = readiness(machine.objects(), op.polled[i]);
    ready += fds[i].revents != 0 ? 1 : 0;
    machine.event().read |= static_cast<std::uint64_t>(fds[i].revents != 0) << i;
  }
  machine.event().succeeded = ready != 0;
  return ready;
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
  const ObjectId first = call->objects().open(ObjectKind::kChannelEnd);
  const ObjectId second = call->objects().open(ObjectKind::kChannelEnd);
  for (const auto& [id, peer] : {std::pair{first, second}, std::pair{second, first}}) {
    call->objects()[id].peer = peer;
    call->objects()[id].non_blocking = (type & SOCK_NONBLOCK) != 0;
  }
  fds[0] = call->objects().number_of(first);
  fds[1] = call->objects().number_of(second);
  return 0;
}

int eventfd(unsigned initial, int flags) {
  const ModelCall call;
  if (!call) {
    static auto* const real = real_call<decltype(eventfd)>("eventfd");
    return real(initial, flags);
  }
  if ((flags & EFD_SEMAPHORE) != 0) {
    call->stop_unmodelled("eventfd with EFD_SEMAPHORE");
  }
  const ObjectId id = call->objects().open(ObjectKind::kEventfd);
  call->objects()[id].counter = initial;
  call->objects()[id].non_blocking = (flags & EFD_NONBLOCK) != 0;
  return call->objects().number_of(id);
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
  const ObjectId id = known(*call, fd, "write");
  return call->objects()[id].kind == ObjectKind::kEventfd
             ? write_eventfd(*call, id, bytes, size, pc)
             : do_send(*call, fd, bytes, size, 0, pc);
}

ssize_t read(int fd, void* bytes, size_t size) {
  const ModelCall call;
  if (!call) {
    static auto* const real = real_call<decltype(read)>("read");
    return real(fd, bytes, size);
  }
  const void* pc = __builtin_return_address(0);
  const ObjectId id = known(*call, fd, "read");
  return call->objects()[id].kind == ObjectKind::kEventfd
             ? read_eventfd(*call, id, bytes, size, pc)
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

int close(int fd) {
  const ModelCall call;
  if (!call) {
    static auto* const real = real_call<decltype(close)>("close");
    return real(fd);
  }
  const ObjectId id = known(*call, fd, "close");
  call->reach(operation(OpKind::kClose, id, true, __builtin_return_address(0)));
  call->objects()[id].closed = true;
  return 0;
}

}  // extern "C"
