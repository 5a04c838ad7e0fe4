// The system call by which std::atomic::wait, std::latch, std::barrier and std::counting_semaphore
// wait, and locks that are written by hand.
//
// The kernel compares the word and queues the caller up under a lock that a wake takes, too: that
// is kEnterFutex ... kExitFutex. What was stored before a wake is seen by who comes to wait after
// it; being woken carries no happens-before.
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <string>

#include "ordering/runtime/hook.h"

namespace {

using namespace overbite::ordering;

// What a call says, in the order of its arguments.
struct FutexCall {
  std::uint32_t* word;
  int operation;
  std::uint32_t value;
  const timespec* timeout;
  std::uint32_t bits;  // of WAIT_BITSET and WAKE_BITSET
};

long failed(int error) {
  errno = error;
  return -1;
}

Operation on_futex(Machine& machine, const FutexCall& futex, OpKind kind, const void* pc) {
  return operation_on(machine, kind, ObjectKind::kFutex, futex.word, kRelaxed, pc);
}

// What the word holds now, for the kernel.
std::uint32_t look(Machine& machine, const FutexCall& futex, const void* pc) {
  Operation op;
  op.kind = OpKind::kLoad;
  op.size = sizeof *futex.word;
  op.object = machine.objects().at_address(ObjectKind::kAtomic, futex.word, sizeof *futex.word);
  op.address = futex.word;
  op.pc = pc;
  machine.check_size(op.object, futex.word, sizeof *futex.word);
  const Result result = machine.perform(op);
  machine.check_atomic({futex.word, sizeof *futex.word, false, pc});
  return static_cast<std::uint32_t>(result.read.low);
}

long wait(Machine& machine, const FutexCall& futex, std::int64_t deadline_ns, const void* pc) {
  const bool spurious = machine.wakes_for_nothing();
  Operation enter = on_futex(machine, futex, OpKind::kEnterFutex, pc);
  enter.non_blocking = false;
  enter.order = kAcquire;
  machine.perform(enter);
  const bool is_as_expected = look(machine, futex, pc) == futex.value;
  Operation exit = on_futex(machine, futex, OpKind::kExitFutex, pc);
  exit.operand.low = is_as_expected ? 1 : 0;
  machine.perform(exit);
  if (!is_as_expected) {
    return failed(EAGAIN);
  }
  Operation wake = on_futex(machine, futex, OpKind::kWake, pc);
  wake.non_blocking = false;
  wake.deadline_ns = deadline_ns;
  if (!spurious && !machine.perform(wake).timed_out) {
    return 0;
  }
  const Result left = machine.perform(on_futex(machine, futex, OpKind::kLeave, pc));
  return (left.read.high >> machine.thread() & 1) != 0 ? 0 : failed(spurious ? EINTR : ETIMEDOUT);
}

long wake(Machine& machine, const FutexCall& futex, const void* pc) {
  const int most = static_cast<int>(futex.value);
  const OpKind kind = most >= kThreadsMax ? OpKind::kNotifyAll : OpKind::kNotifyOne;
  if (most <= 0 || machine.order_at(pc, kind, kRelaxed) == kDropped) {
    return 0;
  }
  Operation op = on_futex(machine, futex, kind, pc);
  op.non_blocking = false;
  op.order = kRelease;  // guard: wake-releases
  op.limit = most;
  return woken_by(op, machine.perform(op).read);
}

long call_futex(Machine& machine, const FutexCall& futex, const void* pc) {
  const bool is_wait_for = futex.timeout != nullptr;
  switch (futex.operation & ~(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME)) {
    case FUTEX_WAIT:
      return wait(machine, futex, is_wait_for ? machine.now_ns() + to_ns(futex.timeout) : -1, pc);
    case FUTEX_WAKE:
      return wake(machine, futex, pc);
    case FUTEX_WAIT_BITSET:
    case FUTEX_WAKE_BITSET:
      if (futex.bits != FUTEX_BITSET_MATCH_ANY) {
        machine.stop_unmodelled("futex with a bit set");
      }
      return (futex.operation & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET
                 ? wait(machine, futex, to_ns(futex.timeout), pc)
                 : wake(machine, futex, pc);
    default:
      machine.stop_unmodelled("futex operation " + std::to_string(futex.operation));
  }
}

}  // namespace

extern "C" long syscall(long number, ...) {
  va_list arguments;
  va_start(arguments, number);
  long a[6];
  for (long& argument : a) {
    argument = va_arg(arguments, long);
  }
  va_end(arguments);
  const ModelCall call;
  if (!call) {
    static auto* const real = real_call<long(long, long, long, long, long, long, long)>("syscall");
    return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  }
  const void* const pc = __builtin_return_address(0);
  if (number != SYS_futex) {
    call->stop_unmodelled("system call " + std::to_string(number));
  }
  return call_futex(*call,
                    {reinterpret_cast<std::uint32_t*>(a[0]),
                     static_cast<int>(a[1]),
                     static_cast<std::uint32_t>(a[2]),
                     reinterpret_cast<const timespec*>(a[3]),
                     static_cast<std::uint32_t>(a[5])},
                    pc);
}
