// Threads. Outside an execution every call goes to libc.
#include <pthread.h>
#include <sched.h>

#include "ordering/runtime/hook.h"

namespace {

using namespace overbite::ordering;

// The pthread_t of a model thread: no address, and not 0, which std::thread takes for "none".
constexpr pthread_t kFirstPthread = 0x6f760000;

ThreadId thread_of(pthread_t handle) { return static_cast<ThreadId>(handle - kFirstPthread); }

}  // namespace

extern "C" {

int pthread_create(pthread_t* handle,
                   const pthread_attr_t* attributes,
                   void* (*entry)(void*),
                   void* argument) {
  OVERBITE_OR_REAL(pthread_create, handle, attributes, entry, argument);
  *handle = kFirstPthread + static_cast<pthread_t>(call->spawn({entry, argument}, pc));
  return 0;
}

int pthread_join(pthread_t handle, void** result) {
  OVERBITE_OR_REAL(pthread_join, handle, result);
  call->join(thread_of(handle), pc);
  if (result != nullptr) {
    *result = call->result_of(thread_of(handle));
  }
  return 0;
}

int pthread_detach(pthread_t handle) {
  OVERBITE_OR_REAL(pthread_detach, handle);
  return 0;
}

int pthread_setname_np(pthread_t handle, const char* name) {
  OVERBITE_OR_REAL(pthread_setname_np, handle, name);
  if (thread_of(handle) == call->thread()) {
    call->name_thread(name);
  }
  return 0;
}

pthread_t pthread_self() {
  OVERBITE_OR_REAL(pthread_self);
  return kFirstPthread + static_cast<pthread_t>(call->thread());
}

void pthread_exit(void* result) {
  if (Machine* machine = Machine::enter()) {
    machine->end_thread(result);
  }
  static auto* const real = real_call<decltype(pthread_exit)>("pthread_exit");
  real(result);
  __builtin_unreachable();
}

// Every other order is explored anyway: a yield adds nothing.
int sched_yield() {
  OVERBITE_OR_REAL(sched_yield);
  return 0;
}

}  // extern "C"
