// C11 threads: libc's own calls of these do not come by the pthread functions. The types are those
// of pthreads, the results are not.
#include <pthread.h>
#include <threads.h>

#include <cerrno>
#include <cstdint>

#include "ordering/runtime/hook.h"

using namespace overbite::ordering;

namespace {

int result_of(int error) {
  return error == 0           ? thrd_success
         : error == EBUSY     ? thrd_busy
         : error == ETIMEDOUT ? thrd_timedout
                              : thrd_error;
}

pthread_mutex_t* to_pthread(mtx_t* mutex) { return reinterpret_cast<pthread_mutex_t*>(mutex); }
pthread_cond_t* to_pthread(cnd_t* condition) {
  return reinterpret_cast<pthread_cond_t*>(condition);
}

}  // namespace

// Outside an execution as well: libc's are the same, down to the types.
extern "C" {

int thrd_create(thrd_t* handle, thrd_start_t entry, void* argument) {
  // What it returns is an int in the register of a pointer.
  return result_of(
      ::pthread_create(handle,
                       nullptr,
                       reinterpret_cast<void* (*)(void*)>(reinterpret_cast<void*>(entry)),
                       argument));
}
int thrd_join(thrd_t handle, int* result) {
  void* returned = nullptr;
  const int error = ::pthread_join(handle, &returned);
  if (result != nullptr) {
    *result = static_cast<int>(reinterpret_cast<std::intptr_t>(returned));
  }
  return result_of(error);
}
int thrd_detach(thrd_t handle) { return result_of(::pthread_detach(handle)); }
thrd_t thrd_current() { return ::pthread_self(); }
void thrd_exit(int result) {
  ::pthread_exit(reinterpret_cast<void*>(static_cast<std::intptr_t>(result)));
}
void thrd_yield() { ::sched_yield(); }
int thrd_sleep(const timespec* time, timespec* left) {
  return ::clock_nanosleep(CLOCK_REALTIME, 0, time, left) == 0 ? 0 : -1;
}

int mtx_init(mtx_t* mutex, int type) {
  pthread_mutexattr_t attributes;
  ::pthread_mutexattr_init(&attributes);
  ::pthread_mutexattr_settype(
      &attributes, (type & mtx_recursive) != 0 ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_NORMAL);
  return result_of(::pthread_mutex_init(to_pthread(mutex), &attributes));
}
void mtx_destroy(mtx_t* mutex) { ::pthread_mutex_destroy(to_pthread(mutex)); }
int mtx_lock(mtx_t* mutex) { return result_of(::pthread_mutex_lock(to_pthread(mutex))); }
int mtx_trylock(mtx_t* mutex) { return result_of(::pthread_mutex_trylock(to_pthread(mutex))); }
int mtx_timedlock(mtx_t* mutex, const timespec* until) {
  return result_of(::pthread_mutex_timedlock(to_pthread(mutex), until));
}
int mtx_unlock(mtx_t* mutex) { return result_of(::pthread_mutex_unlock(to_pthread(mutex))); }

int cnd_init(cnd_t* condition) {
  return result_of(::pthread_cond_init(to_pthread(condition), nullptr));
}
void cnd_destroy(cnd_t* condition) { ::pthread_cond_destroy(to_pthread(condition)); }
int cnd_wait(cnd_t* condition, mtx_t* mutex) {
  return result_of(::pthread_cond_wait(to_pthread(condition), to_pthread(mutex)));
}
int cnd_timedwait(cnd_t* condition, mtx_t* mutex, const timespec* until) {
  return result_of(::pthread_cond_timedwait(to_pthread(condition), to_pthread(mutex), until));
}
int cnd_signal(cnd_t* condition) { return result_of(::pthread_cond_signal(to_pthread(condition))); }
int cnd_broadcast(cnd_t* condition) {
  return result_of(::pthread_cond_broadcast(to_pthread(condition)));
}

void call_once(once_flag* flag, void (*routine)()) {
  ::pthread_once(reinterpret_cast<pthread_once_t*>(flag), routine);
}
int tss_create(tss_t* key, tss_dtor_t destructor) {
  return result_of(::pthread_key_create(key, destructor));
}
void tss_delete(tss_t key) { ::pthread_key_delete(key); }
void* tss_get(tss_t key) { return ::pthread_getspecific(key); }
int tss_set(tss_t key, void* value) { return result_of(::pthread_setspecific(key, value)); }

}  // extern "C"
