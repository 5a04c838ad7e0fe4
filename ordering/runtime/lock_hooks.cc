// Mutexes, shared locks and spin locks.
#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "ordering/runtime/hook.h"

namespace overbite::ordering {

static int kind_of(const pthread_mutex_t& mutex) { return mutex.__data.__kind & 3; }

// Robust, inheriting or protecting priorities.
static bool is_special(const pthread_mutex_t& mutex) { return (mutex.__data.__kind & 0x70) != 0; }

static void hold(Machine& machine, pthread_mutex_t* mutex) {
  mutex->__data.__owner = machine.thread() + 1;
  mutex->__data.__count = 1;
}

bool holds(Machine& machine, const pthread_mutex_t& mutex) {
  return mutex.__data.__owner == machine.thread() + 1;
}

int lock_mutex(Machine& machine,
               pthread_mutex_t* mutex,
               OpKind kind,
               std::int64_t deadline_ns,
               const void* pc) {
  if (is_special(*mutex)) {
    machine.stop_unmodelled("a mutex that is robust or has a protocol");
  }
  if (holds(machine, *mutex) && kind_of(*mutex) == PTHREAD_MUTEX_RECURSIVE_NP) {
    ++mutex->__data.__count;
    return 0;
  }
  if (holds(machine, *mutex) && kind_of(*mutex) == PTHREAD_MUTEX_ERRORCHECK_NP &&
      kind == OpKind::kLock) {
    return EDEADLK;
  }
  Result result;
  if (!machine.repeat(kind, mutex, result)) {
    Operation op = operation_on(machine, kind, ObjectKind::kMutex, mutex, kAcquire, pc);
    op.non_blocking = kind == OpKind::kTryLock;
    op.deadline_ns = deadline_ns;
    result = machine.perform(op);
  }
  if (result.timed_out) {
    return ETIMEDOUT;
  }
  if (!result.succeeded) {
    return EBUSY;
  }
  hold(machine, mutex);
  return 0;
}

void drop_mutex(Machine& machine, pthread_mutex_t* mutex, const void* pc) {
  mutex->__data.__owner = 0;
  mutex->__data.__count = 0;
  Result result;
  if (!machine.repeat(OpKind::kUnlock, mutex, result)) {
    machine.perform(
        operation_on(machine, OpKind::kUnlock, ObjectKind::kMutex, mutex, kRelease, pc));
  }
}

[[noreturn]] static void fail_unlock(Machine& machine, ObjectKind kind, const void* lock) {
  const ObjectId id = machine.objects().at_address(kind, lock, 1);
  machine.fail(FailureKind::kCrash,
               fmt::format("unlock of {} by a thread that does not hold it",
                           machine.objects().describe(id)));
}

static int unlock(Machine& machine, pthread_mutex_t* mutex, const void* pc) {
  if (!holds(machine, *mutex)) {  // guard: unlock-not-held
    if (kind_of(*mutex) != PTHREAD_MUTEX_TIMED_NP) {
      return EPERM;
    }
    fail_unlock(machine, ObjectKind::kMutex, mutex);
  }
  if (--mutex->__data.__count == 0) {
    drop_mutex(machine, mutex, pc);
  }
  return 0;
}

}  // namespace overbite::ordering

namespace {

using namespace overbite::ordering;

// Takes the lock, for as long as nobody else has it in the other way.
int take(Machine& machine,
         ObjectKind object_kind,
         const void* lock,
         OpKind kind,
         std::int64_t deadline_ns,
         const void* pc) {
  Operation op = operation_on(machine, kind, object_kind, lock, kAcquire, pc);
  op.non_blocking = kind == OpKind::kTryLock || kind == OpKind::kTryLockShared;
  op.deadline_ns = deadline_ns;
  const Result result = machine.perform(op);
  if (!result.succeeded || result.timed_out) {
    return result.timed_out ? ETIMEDOUT : EBUSY;
  }
  machine.held().push_back(lock);
  return 0;
}

int drop(Machine& machine, ObjectKind object_kind, const void* lock, OpKind kind, const void* pc) {
  auto& held = machine.held();
  const auto last = std::find(held.rbegin(), held.rend(), lock);
  if (last == held.rend()) {  // guard: lock-not-held
    fail_unlock(machine, object_kind, lock);
  }
  held.erase(last.base() - 1);
  machine.perform(operation_on(machine, kind, object_kind, lock, kRelease, pc));
  return 0;
}

int take_shared(Machine& machine,
                pthread_rwlock_t* lock,
                OpKind kind,
                std::int64_t deadline_ns,
                const void* pc) {
  const bool exclusive = kind == OpKind::kLock || kind == OpKind::kTryLock;
  const bool blocks = kind == OpKind::kLock || kind == OpKind::kLockShared;
  const int self = machine.thread() + 1;
  if (blocks && lock->__data.__cur_writer == self) {
    return EDEADLK;
  }
  const int result = take(machine, ObjectKind::kSharedMutex, lock, kind, deadline_ns, pc);
  if (result == 0 && exclusive) {
    lock->__data.__cur_writer = self;
  }
  return result;
}

}  // namespace

extern "C" {

int pthread_mutex_init(pthread_mutex_t* mutex, const pthread_mutexattr_t* attributes) {
  static auto* const real = real_call<decltype(pthread_mutex_init)>("pthread_mutex_init");
  const ModelCall call;
  if (call) {
    call->objects().renew(mutex);
  }
  return real(mutex, attributes);
}

int pthread_mutex_destroy(pthread_mutex_t* mutex) {
  OVERBITE_OR_REAL(pthread_mutex_destroy, mutex);
  if (mutex->__data.__owner != 0) {
    call->fail(FailureKind::kCrash, "pthread_mutex_destroy of a mutex that is held");
  }
  call->objects().renew(mutex);
  return 0;
}

int pthread_mutex_lock(pthread_mutex_t* mutex) {
  OVERBITE_OR_REAL(pthread_mutex_lock, mutex);
  return lock_mutex(*call, mutex, OpKind::kLock, -1, pc);
}

int pthread_mutex_trylock(pthread_mutex_t* mutex) {
  OVERBITE_OR_REAL(pthread_mutex_trylock, mutex);
  return lock_mutex(*call, mutex, OpKind::kTryLock, -1, pc);
}

int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* until) {
  OVERBITE_OR_REAL(pthread_mutex_timedlock, mutex, until);
  return lock_mutex(*call, mutex, OpKind::kLock, to_ns(until), pc);
}

int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock, const timespec* until) {
  OVERBITE_OR_REAL(pthread_mutex_clocklock, mutex, clock, until);
  return lock_mutex(*call, mutex, OpKind::kLock, to_ns(until), pc);
}

int pthread_mutex_unlock(pthread_mutex_t* mutex) {
  OVERBITE_OR_REAL(pthread_mutex_unlock, mutex);
  return unlock(*call, mutex, pc);
}

int pthread_rwlock_init(pthread_rwlock_t* lock, const pthread_rwlockattr_t* attributes) {
  static auto* const real = real_call<decltype(pthread_rwlock_init)>("pthread_rwlock_init");
  const ModelCall call;
  if (call) {
    call->objects().renew(lock);
  }
  return real(lock, attributes);
}

int pthread_rwlock_destroy(pthread_rwlock_t* lock) {
  OVERBITE_OR_REAL(pthread_rwlock_destroy, lock);
  call->objects().renew(lock);
  return 0;
}

int pthread_rwlock_rdlock(pthread_rwlock_t* lock) {
  OVERBITE_OR_REAL(pthread_rwlock_rdlock, lock);
  return take_shared(*call, lock, OpKind::kLockShared, -1, pc);
}

int pthread_rwlock_tryrdlock(pthread_rwlock_t* lock) {
  OVERBITE_OR_REAL(pthread_rwlock_tryrdlock, lock);
  return take_shared(*call, lock, OpKind::kTryLockShared, -1, pc);
}

int pthread_rwlock_wrlock(pthread_rwlock_t* lock) {
  OVERBITE_OR_REAL(pthread_rwlock_wrlock, lock);
  return take_shared(*call, lock, OpKind::kLock, -1, pc);
}

int pthread_rwlock_trywrlock(pthread_rwlock_t* lock) {
  OVERBITE_OR_REAL(pthread_rwlock_trywrlock, lock);
  return take_shared(*call, lock, OpKind::kTryLock, -1, pc);
}

int pthread_rwlock_timedrdlock(pthread_rwlock_t* lock, const timespec* until) {
  OVERBITE_OR_REAL(pthread_rwlock_timedrdlock, lock, until);
  return take_shared(*call, lock, OpKind::kLockShared, to_ns(until), pc);
}

int pthread_rwlock_clockrdlock(pthread_rwlock_t* lock, clockid_t clock, const timespec* until) {
  OVERBITE_OR_REAL(pthread_rwlock_clockrdlock, lock, clock, until);
  return take_shared(*call, lock, OpKind::kLockShared, to_ns(until), pc);
}

int pthread_rwlock_timedwrlock(pthread_rwlock_t* lock, const timespec* until) {
  OVERBITE_OR_REAL(pthread_rwlock_timedwrlock, lock, until);
  return take_shared(*call, lock, OpKind::kLock, to_ns(until), pc);
}

int pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t clock, const timespec* until) {
  OVERBITE_OR_REAL(pthread_rwlock_clockwrlock, lock, clock, until);
  return take_shared(*call, lock, OpKind::kLock, to_ns(until), pc);
}

int pthread_rwlock_unlock(pthread_rwlock_t* lock) {
  OVERBITE_OR_REAL(pthread_rwlock_unlock, lock);
  OpKind kind = OpKind::kUnlockShared;
  if (lock->__data.__cur_writer == call->thread() + 1) {
    lock->__data.__cur_writer = 0;
    kind = OpKind::kUnlock;
  }
  return drop(*call, ObjectKind::kSharedMutex, lock, kind, pc);
}

int pthread_spin_init(pthread_spinlock_t* lock, int shared) {
  OVERBITE_OR_REAL(pthread_spin_init, lock, shared);
  call->objects().renew(const_cast<const int*>(lock));
  return 0;
}

int pthread_spin_destroy(pthread_spinlock_t* lock) {
  OVERBITE_OR_REAL(pthread_spin_destroy, lock);
  return 0;
}

int pthread_spin_lock(pthread_spinlock_t* lock) {
  OVERBITE_OR_REAL(pthread_spin_lock, lock);
  return take(*call, ObjectKind::kMutex, const_cast<const int*>(lock), OpKind::kLock, -1, pc);
}

int pthread_spin_trylock(pthread_spinlock_t* lock) {
  OVERBITE_OR_REAL(pthread_spin_trylock, lock);
  return take(*call, ObjectKind::kMutex, const_cast<const int*>(lock), OpKind::kTryLock, -1, pc);
}

int pthread_spin_unlock(pthread_spinlock_t* lock) {
  OVERBITE_OR_REAL(pthread_spin_unlock, lock);
  return drop(*call, ObjectKind::kMutex, const_cast<const int*>(lock), OpKind::kUnlock, pc);
}

}  // extern "C"
