// Condition variables.
#include <pthread.h>

#include <cerrno>

#include "ordering/runtime/hook.h"

namespace {

using namespace overbite::ordering;

// Queue up, release; woken, take the mutex again. To queue up before the release is as good as at
// once: nobody can tell.
int wait(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* until, const void* pc) {
  const ModelCall call;
  Machine& machine = *call;
  if (!holds(machine, *mutex)) {
    machine.fail(FailureKind::kCrash, "wait on a condition variable without its mutex");
  }
  const auto on_condition = [&](OpKind kind) {
    return operation_on(machine, kind, ObjectKind::kCondition, condition, kRelaxed, pc);
  };
  const bool spurious = machine.wakes_for_nothing();
  machine.perform(on_condition(OpKind::kQueue));
  const unsigned depth = mutex->__data.__count;
  drop_mutex(machine, mutex, pc);
  Operation wake = on_condition(OpKind::kWake);
  wake.non_blocking = false;
  wake.deadline_ns = to_ns(until);
  bool notified = !spurious && !machine.perform(wake).timed_out;
  if (!notified) {
    const Result left = machine.perform(on_condition(OpKind::kLeave));
    notified = spurious || (left.read.high >> machine.thread() & 1) != 0;
  }
  lock_mutex(machine, mutex, OpKind::kLock, -1, pc);
  mutex->__data.__count = depth;
  return notified ? 0 : ETIMEDOUT;
}

int notify(Machine& machine, pthread_cond_t* condition, OpKind kind, const void* pc) {
  if (machine.order_at(pc, kind, kRelaxed) == kDropped) {
    return 0;
  }
  machine.perform(operation_on(machine, kind, ObjectKind::kCondition, condition, kRelaxed, pc));
  return 0;
}

}  // namespace

extern "C" {

int pthread_cond_init(pthread_cond_t* condition, const pthread_condattr_t* attributes) {
  static auto* const real = real_call<decltype(pthread_cond_init)>("pthread_cond_init");
  const ModelCall call;
  if (call) {
    call->objects().renew(condition);
  }
  return real(condition, attributes);
}

int pthread_cond_destroy(pthread_cond_t* condition) {
  OVERBITE_OR_REAL(pthread_cond_destroy, condition);
  call->objects().renew(condition);
  return 0;
}

int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  if (Machine::current() == nullptr) {
    static auto* const real = real_call<decltype(pthread_cond_wait)>("pthread_cond_wait");
    return real(condition, mutex);
  }
  return wait(condition, mutex, nullptr, __builtin_return_address(0));
}

int pthread_cond_timedwait(pthread_cond_t* condition,
                           pthread_mutex_t* mutex,
                           const timespec* until) {
  if (Machine::current() == nullptr) {
    static auto* const real = real_call<decltype(pthread_cond_timedwait)>("pthread_cond_timedwait");
    return real(condition, mutex, until);
  }
  return wait(condition, mutex, until, __builtin_return_address(0));
}

int pthread_cond_clockwait(pthread_cond_t* condition,
                           pthread_mutex_t* mutex,
                           clockid_t clock,
                           const timespec* until) {
  if (Machine::current() == nullptr) {
    static auto* const real = real_call<decltype(pthread_cond_clockwait)>("pthread_cond_clockwait");
    return real(condition, mutex, clock, until);
  }
  return wait(condition, mutex, until, __builtin_return_address(0));
}

int pthread_cond_signal(pthread_cond_t* condition) {
  OVERBITE_OR_REAL(pthread_cond_signal, condition);
  return notify(*call, condition, OpKind::kNotifyOne, pc);
}

int pthread_cond_broadcast(pthread_cond_t* condition) {
  OVERBITE_OR_REAL(pthread_cond_broadcast, condition);
  return notify(*call, condition, OpKind::kNotifyAll, pc);
}

}  // extern "C"
