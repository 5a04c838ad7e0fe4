// The calls that -fsanitize=thread inserts for plain accesses, functions and memory blocks, in the
// spellings of clang and of gcc. They are no scheduling points: in a program without data races
// nobody can tell when a plain access happens, and a race ends the execution.
#include <cstddef>
#include <cstring>

#include "ordering/runtime/machine.h"

namespace {

using overbite::ordering::Machine;
using overbite::ordering::MemoryAccess;

void plain(const void* address, std::size_t size, bool write, const void* pc) {
  Machine::access_from_model({address, size, write, pc});
}

}  // namespace

extern "C" {

void __tsan_init() {}

void __tsan_func_entry(void* /*caller*/) { Machine::function_entry(); }
void __tsan_func_exit() { Machine::function_exit(); }

void __tsan_ignore_thread_begin() {}
void __tsan_ignore_thread_end() {}

// The one place where a macro earns its keep: 5 sizes, aligned and not, volatile and not.
#define OVERBITE_PLAIN(size)                                                                       \
  void __tsan_read##size(void* a) { plain(a, size, false, __builtin_return_address(0)); }          \
  void __tsan_write##size(void* a) { plain(a, size, true, __builtin_return_address(0)); }          \
  void __tsan_read_write##size(void* a) { plain(a, size, true, __builtin_return_address(0)); }     \
  void __tsan_volatile_read##size(void* a) { plain(a, size, false, __builtin_return_address(0)); } \
  void __tsan_volatile_write##size(void* a) { plain(a, size, true, __builtin_return_address(0)); } \
  void __tsan_unaligned_read##size(void* a) {                                                      \
    plain(a, size, false, __builtin_return_address(0));                                            \
  }                                                                                                \
  void __tsan_unaligned_write##size(void* a) {                                                     \
    plain(a, size, true, __builtin_return_address(0));                                             \
  }                                                                                                \
  void __tsan_unaligned_read_write##size(void* a) {                                                \
    plain(a, size, true, __builtin_return_address(0));                                             \
  }                                                                                                \
  void __tsan_unaligned_volatile_read##size(void* a) {                                             \
    plain(a, size, false, __builtin_return_address(0));                                            \
  }                                                                                                \
  void __tsan_unaligned_volatile_write##size(void* a) {                                            \
    plain(a, size, true, __builtin_return_address(0));                                             \
  }
OVERBITE_PLAIN(1)
OVERBITE_PLAIN(2)
OVERBITE_PLAIN(4)
OVERBITE_PLAIN(8)
OVERBITE_PLAIN(16)
#undef OVERBITE_PLAIN

void __tsan_read_range(void* address, std::size_t size) {
  plain(address, size, false, __builtin_return_address(0));
}
void __tsan_write_range(void* address, std::size_t size) {
  plain(address, size, true, __builtin_return_address(0));
}

void __tsan_vptr_read(void** vptr) {
  plain(vptr, sizeof *vptr, false, __builtin_return_address(0));
}
void __tsan_vptr_update(void** vptr, void* value) {
  // A destructor that stores the table that is there already changes nothing for a virtual call.
  plain(vptr, sizeof *vptr, *vptr != value, __builtin_return_address(0));
}

void* __tsan_memcpy(void* to, const void* from, std::size_t size) {
  plain(from, size, false, __builtin_return_address(0));
  plain(to, size, true, __builtin_return_address(0));
  return std::memcpy(to, from, size);
}
void* __tsan_memmove(void* to, const void* from, std::size_t size) {
  plain(from, size, false, __builtin_return_address(0));
  plain(to, size, true, __builtin_return_address(0));
  return std::memmove(to, from, size);
}
void* __tsan_memset(void* to, int value, std::size_t size) {
  plain(to, size, true, __builtin_return_address(0));
  return std::memset(to, value, size);
}

}  // extern "C"
