// What the hooks of pthread calls share.
#pragma once

#include <pthread.h>

#include <cstdint>
#include <ctime>

#include "ordering/runtime/machine.h"
#include "ordering/runtime/real_call.h"

// Outside an execution a call goes where it would have gone.
#define OVERBITE_OR_REAL(function, ...)                                 \
  const ModelCall call;                                                 \
  if (!call) {                                                          \
    static auto* const real = real_call<decltype(function)>(#function); \
    return real(__VA_ARGS__);                                           \
  }                                                                     \
  [[maybe_unused]] const void* const pc = __builtin_return_address(0)

namespace overbite::ordering {

inline std::int64_t to_ns(const timespec* time) {
  return time == nullptr ? -1 : std::int64_t{time->tv_sec} * 1'000'000'000 + time->tv_nsec;
}

inline Operation operation_on(Machine& machine,
                              OpKind kind,
                              ObjectKind object_kind,
                              const void* object,
                              std::uint8_t order,
                              const void* pc) {
  Operation op;
  op.kind = kind;
  op.order = order;
  op.object = machine.objects().at_address(object_kind, object, 1);
  op.address = object;
  op.pc = pc;
  return op;
}

// --- memory_hooks.cc ---
// Of a block of the arena.
void release_memory(void* memory, const void* pc);

// --- lock_hooks.cc ---
// Of a mutex. libc's own fields say who holds it, and how often.
bool holds(Machine& machine, const pthread_mutex_t& mutex);
int lock_mutex(Machine& machine,
               pthread_mutex_t* mutex,
               OpKind kind,
               std::int64_t deadline_ns,
               const void* pc);
// Whatever the depth is.
void drop_mutex(Machine& machine, pthread_mutex_t* mutex, const void* pc);

// --- key_hooks.cc ---
// At the end of the running thread.
void run_key_destructors(Machine& machine);

}  // namespace overbite::ordering
