// Threads, mutexes and condition variables. Outside an execution every call goes to libc.
#include <fmt/format.h>
#include <pthread.h>
#include <sched.h>

#include <cerrno>
#include <vector>

#include "ordering/runtime/machine.h"
#include "ordering/runtime/real_call.h"

namespace {

using overbite::ordering::FailureKind;
using overbite::ordering::Machine;
using overbite::ordering::ModelCall;
using overbite::ordering::Object;
using overbite::ordering::ObjectId;
using overbite::ordering::ObjectKind;
using overbite::ordering::Operation;
using overbite::ordering::OpKind;
using overbite::ordering::real_call;
using overbite::ordering::ThreadId;

// The pthread_t of a model thread: no address, and not 0, which std::thread takes for "none".
constexpr pthread_t kFirstPthread = 0x6f760000;

ThreadId thread_of(pthread_t handle) { return static_cast<ThreadId>(handle - kFirstPthread); }

ObjectId mutex_id(Machine& machine, const pthread_mutex_t* mutex) {
  return machine.objects().at_address(ObjectKind::kMutex, mutex, 1);
}

int kind_of(const pthread_mutex_t& mutex) { return mutex.__data.__kind & 3; }

// True when the calling thread holds it already and that is settled here.
bool relock(Machine& machine, const pthread_mutex_t& mutex, ObjectId id, int& result) {
  Object& object = machine.objects()[id];
  if (object.owner != machine.thread()) {
    return false;
  }
  if (kind_of(mutex) == PTHREAD_MUTEX_RECURSIVE_NP) {
    ++object.depth;
    result = 0;
    return true;
  }
  if (kind_of(mutex) == PTHREAD_MUTEX_ERRORCHECK_NP) {
    result = EDEADLK;
    return true;
  }
  return false;
}

void take(Machine& machine, ObjectId id) {
  Object& object = machine.objects()[id];
  object.owner = machine.thread();
  object.depth = 1;
  machine.acquire(object.clock);
}

void drop(Machine& machine, ObjectId id) {
  Object& object = machine.objects()[id];
  object.owner = -1;
  object.depth = 0;
  object.clock = machine.release();
  object.last_unlock = static_cast<int>(&machine.event() - machine.first_event());
}

int lock(Machine& machine, pthread_mutex_t* mutex, const void* pc) {
  const ObjectId id = mutex_id(machine, mutex);
  int result = 0;
  if (relock(machine, *mutex, id, result)) {
    return result;
  }
  Operation op;
  op.kind = OpKind::kLock;
  op.object = id;
  op.pc = pc;
  machine.reach(op);
  take(machine, id);
  return 0;
}

int try_lock(Machine& machine, pthread_mutex_t* mutex, const void* pc) {
  const ObjectId id = mutex_id(machine, mutex);
  int result = 0;
  if (kind_of(*mutex) == PTHREAD_MUTEX_RECURSIVE_NP && relock(machine, *mutex, id, result)) {
    return result;
  }
  Operation op;
  op.kind = OpKind::kTryLock;
  op.object = id;
  op.pc = pc;
  machine.reach(op);
  const bool is_free = machine.objects()[id].owner < 0;
  machine.event().succeeded = is_free;
  if (is_free) {
    take(machine, id);
  }
  return is_free ? 0 : EBUSY;
}

int unlock(Machine& machine, pthread_mutex_t* mutex, const void* pc) {
  const ObjectId id = mutex_id(machine, mutex);
  Object& object = machine.objects()[id];
  if (object.owner != machine.thread()) {
    machine.fail(FailureKind::kCrash,
                 fmt::format("unlock of {} by a thread that does not hold it",
                             machine.objects().describe(id)));
  }
  if (--object.depth > 0) {
    return 0;
  }
  Operation op;
  op.kind = OpKind::kUnlock;
  op.object = id;
  op.pc = pc;
  machine.reach(op);
  drop(machine, id);
  return 0;
}

std::int64_t to_ns(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// Both steps of a wait: release and queue; then, woken, take the mutex again.
int wait(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* until, const void* pc) {
  const ModelCall call;
  Machine& machine = *call;
  const ObjectId id = machine.objects().at_address(ObjectKind::kCondition, condition, 1);
  const ObjectId mutex_object = mutex_id(machine, mutex);
  if (machine.objects()[mutex_object].owner != machine.thread()) {
    machine.fail(FailureKind::kCrash, "wait on a condition variable without its mutex");
  }
  Operation op;
  op.kind = OpKind::kWait;
  op.object = id;
  op.mutex = mutex_object;
  op.pc = pc;
  machine.reach(op);
  drop(machine, mutex_object);
  machine.objects()[id].waiters.push_back(machine.thread());
  machine.clear_signal();
  op.kind = OpKind::kWake;
  op.deadline_ns = until != nullptr ? to_ns(*until) : -1;
  machine.reach(op);
  // The only way to run without a notification is the time-out.
  const bool notified = machine.is_signalled();
  machine.event().succeeded = notified;
  if (!notified) {
    std::erase(machine.objects()[id].waiters, machine.thread());
  }
  take(machine, mutex_object);
  return notified ? 0 : ETIMEDOUT;
}

int notify(Machine& machine, pthread_cond_t* condition, OpKind kind, const void* pc) {
  Operation op;
  op.kind = kind;
  op.object = machine.objects().at_address(ObjectKind::kCondition, condition, 1);
  op.pc = pc;
  machine.reach(op);
  Object& object = machine.objects()[op.object];
  machine.event().read = object.waiters.size();
  while (!object.waiters.empty()) {
    machine.wake(machine.pick_waiter(object, machine.event().variant));
    if (kind == OpKind::kNotifyOne) {
      break;
    }
  }
  return 0;
}

}  // namespace

extern "C" {

int pthread_create(pthread_t* handle,
                   const pthread_attr_t* attributes,
                   void* (*entry)(void*),
                   void* argument) {
  const ModelCall call;
  if (!call) {
    static auto* const real = real_call<decltype(pthread_create)>("pthread_create");
    return real(handle, attributes, entry, argument);
  }
  // libc writes the handle before the thread can run; std::thread relies on it.
  *handle = kFirstPthread + static_cast<pthread_t>(call->thread_count());
  call->spawn([entry, argument] { entry(argument); }, __builtin_return_address(0));
  return 0;
}

int pthread_join(pthread_t handle, void** result) {
  const ModelCall call;
  if (!call) {
    static auto* const real = real_call<decltype(pthread_join)>("pthread_join");
    return real(handle, result);
  }
  if (result != nullptr) {
    call->stop_unmodelled("pthread_join with a result");
  }
  call->join(thread_of(handle), __builtin_return_address(0));
  return 0;
}

int pthread_detach(pthread_t handle) {
  const ModelCall call;
  if (!call) {
    static auto* const real = real_call<decltype(pthread_detach)>("pthread_detach");
    return real(handle);
  }
  return 0;
}

pthread_t pthread_self() {
  const ModelCall call;
  if (!call) {
    static auto* const real = real_call<decltype(pthread_self)>("pthread_self");
    return real();
  }
  return kFirstPthread + static_cast<pthread_t>(call->thread());
}

int pthread_mutex_init(pthread_mutex_t* mutex, const pthread_mutexattr_t* attributes) {
  static auto* const real = real_call<decltype(pthread_mutex_init)>("pthread_mutex_init");
  const ModelCall call;
  if (call) {
    call->objects().forget(mutex);
  }
  return real(mutex, attributes);
}

int pthread_mutex_destroy(pthread_mutex_t* mutex) {
  const ModelCall call;
  if (!call) {
    static auto* const real = real_call<decltype(pthread_mutex_destroy)>("pthread_mutex_destroy");
    return real(mutex);
  }
  call->objects().forget(mutex);
  return 0;
}

int pthread_mutex_lock(pthread_mutex_t* mutex) {
  const ModelCall call;
  if (!call) {
    static auto* const real = real_call<decltype(pthread_mutex_lock)>("pthread_mutex_lock");
    return real(mutex);
  }
  return lock(*call, mutex, __builtin_return_address(0));
}

int pthread_mutex_trylock(pthread_mutex_t* mutex) {
  const ModelCall call;
  if (!call) {
    static auto* const real = real_call<decltype(pthread_mutex_trylock)>("pthread_mutex_trylock");
    return real(mutex);
  }
  return try_lock(*call, mutex, __builtin_return_address(0));
}

int pthread_mutex_unlock(pthread_mutex_t* mutex) {
  const ModelCall call;
  if (!call) {
    static auto* const real = real_call<decltype(pthread_mutex_unlock)>("pthread_mutex_unlock");
    return real(mutex);
  }
  return unlock(*call, mutex, __builtin_return_address(0));
}

int pthread_cond_init(pthread_cond_t* condition, const pthread_condattr_t* attributes) {
  static auto* const real = real_call<decltype(pthread_cond_init)>("pthread_cond_init");
  const ModelCall call;
  if (call) {
    call->objects().forget(condition);
  }
  return real(condition, attributes);
}

int pthread_cond_destroy(pthread_cond_t* condition) {
  const ModelCall call;
  if (!call) {
    static auto* const real = real_call<decltype(pthread_cond_destroy)>("pthread_cond_destroy");
    return real(condition);
  }
  call->objects().forget(condition);
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
  const ModelCall call;
  if (!call) {
    static auto* const real = real_call<decltype(pthread_cond_signal)>("pthread_cond_signal");
    return real(condition);
  }
  return notify(*call, condition, OpKind::kNotifyOne, __builtin_return_address(0));
}

int pthread_cond_broadcast(pthread_cond_t* condition) {
  const ModelCall call;
  if (!call) {
    static auto* const real = real_call<decltype(pthread_cond_broadcast)>("pthread_cond_broadcast");
    return real(condition);
  }
  return notify(*call, condition, OpKind::kNotifyAll, __builtin_return_address(0));
}

// One clock for all purposes; it stands still while anything can run.
int clock_gettime(clockid_t clock, timespec* time) {
  const ModelCall call;
  if (!call) {
    static auto* const real = real_call<decltype(clock_gettime)>("clock_gettime");
    return real(clock, time);
  }
  constexpr std::int64_t kSecond = 1'000'000'000;
  *time = {.tv_sec = static_cast<time_t>(call->now_ns() / kSecond),
           .tv_nsec = static_cast<long>(call->now_ns() % kSecond)};
  return 0;
}

// Every other order is explored anyway: a yield adds nothing.
int sched_yield() {
  const ModelCall call;
  if (!call) {
    static auto* const real = real_call<decltype(sched_yield)>("sched_yield");
    return real();
  }
  return 0;
}

}  // extern "C"
