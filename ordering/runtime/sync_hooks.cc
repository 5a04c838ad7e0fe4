// Barriers, semaphores and once.
#include <pthread.h>
#include <semaphore.h>

#include <cerrno>
#include <exception>

#include "ordering/runtime/hook.h"

using namespace overbite::ordering;

namespace {

// While an initialiser runs, which may throw.
class InOnce {
 public:
  InOnce(Machine& machine, const Operation& end) : machine_(machine), end_(end) {
    Machine::leave(&machine);
  }
  ~InOnce() {
    Machine::enter();
    const bool is_done = std::uncaught_exceptions() == exceptions_;
    end_.order = kRelease;  // guard: once-releases
    end_.operand.low = is_done ? 2 : 0;
    machine_.perform(end_);
  }
  InOnce(const InOnce&) = delete;
  InOnce& operator=(const InOnce&) = delete;

 private:
  Machine& machine_;
  Operation end_;
  const int exceptions_ = std::uncaught_exceptions();
};

}  // namespace

extern "C" {

int pthread_barrier_init(pthread_barrier_t* barrier,
                         const pthread_barrierattr_t* attributes,
                         unsigned count) {
  OVERBITE_OR_REAL(pthread_barrier_init, barrier, attributes, count);
  if (count == 0) {
    return EINVAL;
  }
  call->objects().renew(barrier);
  *reinterpret_cast<unsigned*>(barrier) = count;
  return 0;
}

int pthread_barrier_destroy(pthread_barrier_t* barrier) {
  OVERBITE_OR_REAL(pthread_barrier_destroy, barrier);
  call->objects().renew(barrier);
  return 0;
}

int pthread_barrier_wait(pthread_barrier_t* barrier) {
  OVERBITE_OR_REAL(pthread_barrier_wait, barrier);
  Operation op = operation_on(*call, OpKind::kArrive, ObjectKind::kBarrier, barrier, kAcqRel, pc);
  op.limit = static_cast<std::int32_t>(*reinterpret_cast<const unsigned*>(barrier));
  const Result arrived = call->perform(op);
  if (arrived.succeeded) {
    return PTHREAD_BARRIER_SERIAL_THREAD;
  }
  op.kind = OpKind::kPass;
  op.non_blocking = false;
  op.operand.low = arrived.read.high;
  call->perform(op);
  return 0;
}

int pthread_once(pthread_once_t* once, void (*routine)()) {
  OVERBITE_OR_REAL(pthread_once, once, routine);
  Machine& machine = *call;
  Operation op = operation_on(machine, OpKind::kOnceBegin, ObjectKind::kOnce, once, kAcquire, pc);
  op.non_blocking = false;
  if (machine.perform(op).succeeded) {
    op.kind = OpKind::kOnceEnd;
    const InOnce in_once(machine, op);
    routine();
  }
  return 0;
}

// Function-local statics: the same, and a flag in the first byte that inline code looks at before
// it calls.
void __tsan_atomic8_store(volatile char* at, char value, int order);
int __cxa_guard_acquire(std::uint64_t* guard);
void __cxa_guard_release(std::uint64_t* guard);
void __cxa_guard_abort(std::uint64_t* guard);

int __cxa_guard_acquire(std::uint64_t* guard) {
  OVERBITE_OR_REAL(__cxa_guard_acquire, guard);
  Operation op = operation_on(*call, OpKind::kOnceBegin, ObjectKind::kOnce, guard, kAcquire, pc);
  op.non_blocking = false;
  return call->perform(op).succeeded ? 1 : 0;
}

static void end_guard(Machine& machine, std::uint64_t* guard, bool made, const void* pc) {
  Operation op = operation_on(machine, OpKind::kOnceEnd, ObjectKind::kOnce, guard, kRelease, pc);
  op.operand.low = made ? 2 : 0;
  machine.perform(op);
}

void __cxa_guard_release(std::uint64_t* guard) {
  if (Machine::current() != nullptr) {
    __tsan_atomic8_store(reinterpret_cast<char*>(guard), 1, __ATOMIC_RELEASE);
  }
  OVERBITE_OR_REAL(__cxa_guard_release, guard);
  end_guard(*call, guard, true, pc);
}

void __cxa_guard_abort(std::uint64_t* guard) {
  OVERBITE_OR_REAL(__cxa_guard_abort, guard);
  end_guard(*call, guard, false, pc);
}

int sem_init(sem_t* semaphore, int shared, unsigned value) {
  OVERBITE_OR_REAL(sem_init, semaphore, shared, value);
  call->objects().renew(semaphore);
  call->objects().set_initial(call->objects().at_address(ObjectKind::kCounter, semaphore, 1),
                              value);
  return 0;
}

int sem_destroy(sem_t* semaphore) {
  OVERBITE_OR_REAL(sem_destroy, semaphore);
  call->objects().renew(semaphore);
  return 0;
}

int sem_post(sem_t* semaphore) {
  OVERBITE_OR_REAL(sem_post, semaphore);
  Operation op = operation_on(*call, OpKind::kAdd, ObjectKind::kCounter, semaphore, kRelease, pc);
  op.operand.low = 1;
  call->perform(op);
  return 0;
}

static int take(
    Machine& machine, sem_t* semaphore, bool non_blocking, const timespec* until, const void* pc) {
  Operation op =
      operation_on(machine, OpKind::kTake, ObjectKind::kCounter, semaphore, kAcquire, pc);
  op.limit = 1;
  op.non_blocking = non_blocking;
  op.deadline_ns = to_ns(until);
  const Result result = machine.perform(op);
  if (!result.succeeded || result.timed_out) {
    errno = result.timed_out ? ETIMEDOUT : EAGAIN;
    return -1;
  }
  return 0;
}

int sem_wait(sem_t* semaphore) {
  OVERBITE_OR_REAL(sem_wait, semaphore);
  return take(*call, semaphore, false, nullptr, pc);
}

int sem_trywait(sem_t* semaphore) {
  OVERBITE_OR_REAL(sem_trywait, semaphore);
  return take(*call, semaphore, true, nullptr, pc);
}

int sem_timedwait(sem_t* semaphore, const timespec* until) {
  OVERBITE_OR_REAL(sem_timedwait, semaphore, until);
  return take(*call, semaphore, false, until, pc);
}

int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* until) {
  OVERBITE_OR_REAL(sem_clockwait, semaphore, clock, until);
  return take(*call, semaphore, false, until, pc);
}

int sem_getvalue(sem_t* semaphore, int* value) {
  OVERBITE_OR_REAL(sem_getvalue, semaphore, value);
  const Result result = call->perform(
      operation_on(*call, OpKind::kPoll, ObjectKind::kCounter, semaphore, kRelaxed, pc));
  *value = static_cast<int>(result.read.low);
  return 0;
}

}  // extern "C"
