// What a program of its own expects of its process: to end it, to assert, to allocate by malloc,
// and thread-local variables. Outside an execution every call goes to libc.
#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "ordering/runtime/hook.h"
#include "ordering/runtime/process_image.h"

using namespace overbite::ordering;

extern "C" {

// libc's own, by the names under which it keeps them for replacements of malloc.
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* memory, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);
void __libc_free(void* memory);

// What the loader passes for a thread-local variable.
struct ThreadLocalIndex {
  unsigned long module;
  unsigned long offset;
};

}  // extern "C"

namespace {

// Only what the program itself allocates is its own: what libc allocates while the program calls it
// (the buffer of a stream) outlives the execution.
bool is_of_the_program(const void* pc) {
  return Machine::current() != nullptr && ProcessImage::shared().owns_code(pc);
}

void* allocate(std::size_t bytes, std::size_t alignment, const void* pc) {
  const ModelCall call;
  return call->allocate(bytes, alignment, pc);
}

[[noreturn]] void end_process(Machine& machine, const char* call, int status) {
  if (status != 0) {
    machine.fail(FailureKind::kRequirement, fmt::format("{}({})", call, status));
  }
  machine.end_thread(nullptr);
}

}  // namespace

extern "C" {

void* malloc(std::size_t bytes) {
  return is_of_the_program(__builtin_return_address(0))
             ? allocate(bytes, 0, __builtin_return_address(0))
             : __libc_malloc(bytes);
}

void* calloc(std::size_t count, std::size_t bytes) {
  if (!is_of_the_program(__builtin_return_address(0))) {
    return __libc_calloc(count, bytes);
  }
  std::size_t total = 0;
  if (__builtin_mul_overflow(count, bytes, &total)) {
    errno = ENOMEM;
    return nullptr;
  }
  return std::memset(allocate(total, 0, __builtin_return_address(0)), 0, total);
}

void* realloc(void* memory, std::size_t bytes) {
  const void* const pc = __builtin_return_address(0);
  if (memory != nullptr && !Arena::shared().owns(memory)) {
    return __libc_realloc(memory, bytes);
  }
  if (!is_of_the_program(pc)) {
    return __libc_realloc(memory, bytes);
  }
  void* const moved = allocate(bytes, 0, pc);
  if (memory != nullptr) {
    std::memcpy(moved, memory, std::min(bytes, Arena::size_of(memory)));
    release_memory(memory, pc);
  }
  return moved;
}

void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  return is_of_the_program(__builtin_return_address(0))
             ? allocate(bytes, alignment, __builtin_return_address(0))
             : __libc_memalign(alignment, bytes);
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) {
  *memory = is_of_the_program(__builtin_return_address(0))
                ? allocate(bytes, alignment, __builtin_return_address(0))
                : __libc_memalign(alignment, bytes);
  return *memory == nullptr ? ENOMEM : 0;
}

void free(void* memory) {
  if (memory == nullptr || !Arena::shared().owns(memory)) {
    __libc_free(memory);
    return;
  }
  release_memory(memory, __builtin_return_address(0));
}

void exit(int status) {
  if (Machine* machine = Machine::enter()) {
    end_process(*machine, "exit", status);
  }
  static auto* const real = real_call<void(int)>("exit");
  real(status);
  __builtin_unreachable();
}

void _exit(int status) {
  if (Machine* machine = Machine::enter()) {
    end_process(*machine, "_exit", status);
  }
  static auto* const real = real_call<void(int)>("_exit");
  real(status);
  __builtin_unreachable();
}

void __assert_fail(const char* expression, const char* file, unsigned line, const char* function) {
  if (Machine* machine = Machine::enter()) {
    const char* const slash = std::strrchr(file, '/');
    machine->fail(FailureKind::kRequirement,
                  fmt::format("assertion failed: {} ({}:{}, {})",
                              expression,
                              slash != nullptr ? slash + 1 : file,
                              line,
                              function));
  }
  static auto* const real =
      real_call<void(const char*, const char*, unsigned, const char*)>("__assert_fail");
  real(expression, file, line, function);
  __builtin_unreachable();
}

// Destructors of function-local statics: the statics are put back, not destroyed.
int __cxa_atexit(void (*function)(void*), void* argument, void* module) {
  if (Machine::current() != nullptr) {
    return 0;
  }
  static auto* const real = real_call<int(void (*)(void*), void*, void*)>("__cxa_atexit");
  return real(function, argument, module);
}

int __cxa_thread_atexit(void (*function)(void*), void* argument, void* module) {
  if (const ModelCall call; call) {
    call->at_thread_exit(function, argument);
    return 0;
  }
  static auto* const real = real_call<int(void (*)(void*), void*, void*)>("__cxa_thread_atexit");
  return real(function, argument, module);
}

void* __tls_get_addr(ThreadLocalIndex* index) {
  if (const ModelCall call; call) {
    void* const found =
        ProcessImage::shared().thread_local_at(index->module, index->offset, call->thread());
    if (found != nullptr) {
      return found;
    }
  }
  static auto* const real = real_call<void*(ThreadLocalIndex*)>("__tls_get_addr");
  return real(index);
}

}  // extern "C"
