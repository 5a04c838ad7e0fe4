// operator new and delete, abort, and the line a CHECK prints.
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>

#include "ordering/runtime/hook.h"

namespace {

using overbite::ordering::Arena;
using overbite::ordering::FailureKind;
using overbite::ordering::Machine;
using overbite::ordering::ModelCall;
using overbite::ordering::real_call;

void* allocate(std::size_t size, std::size_t alignment, const void* pc) {
  const ModelCall call;
  void* memory = nullptr;
  if (call) {
    return call->allocate(size, alignment, pc);
  }
  memory = alignment > alignof(std::max_align_t)
               ? std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment)
               : std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  return memory;
}

void release(void* memory, const void* pc) {
  if (Arena::shared().owns(memory)) {
    overbite::ordering::release_memory(memory, pc);
  } else {
    std::free(memory);
  }
}

// What the model printed to stderr last: a CHECK says there why it gives up.
std::string& last_line() {
  static std::string line;
  return line;
}

}  // namespace

namespace overbite::ordering {

void release_memory(void* memory, const void* pc) {
  if (const ModelCall call; call) {
    call->release(memory, pc);
  }
}

}  // namespace overbite::ordering

void* operator new(std::size_t size) { return allocate(size, 0, __builtin_return_address(0)); }
void* operator new[](std::size_t size) { return allocate(size, 0, __builtin_return_address(0)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment), __builtin_return_address(0));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment), __builtin_return_address(0));
}
void operator delete(void* memory) noexcept { release(memory, __builtin_return_address(0)); }
void operator delete[](void* memory) noexcept { release(memory, __builtin_return_address(0)); }
void operator delete(void* memory, std::size_t) noexcept {
  release(memory, __builtin_return_address(0));
}
void operator delete[](void* memory, std::size_t) noexcept {
  release(memory, __builtin_return_address(0));
}
void operator delete(void* memory, std::align_val_t) noexcept {
  release(memory, __builtin_return_address(0));
}
void operator delete[](void* memory, std::align_val_t) noexcept {
  release(memory, __builtin_return_address(0));
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  release(memory, __builtin_return_address(0));
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  release(memory, __builtin_return_address(0));
}

extern "C" {

int fprintf(FILE* file, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const ModelCall call;
  int written = 0;
  if (call && file == stderr) {
    char line[1024];
    written = std::vsnprintf(line, sizeof line, format, arguments);
    last_line() = line;
    while (last_line().ends_with('\n')) {
      last_line().pop_back();
    }
  } else {
    written = std::vfprintf(file, format, arguments);
  }
  va_end(arguments);
  return written;
}

void abort() {
  if (Machine* machine = Machine::enter()) {
    std::string reason = last_line().empty() ? "abort was called" : last_line();
    last_line().clear();
    machine->fail(FailureKind::kCrash, reason);
  }
  static auto* const real = real_call<void()>("abort");
  real();
  __builtin_unreachable();
}

}  // extern "C"
