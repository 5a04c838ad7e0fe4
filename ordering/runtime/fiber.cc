#include "ordering/runtime/fiber.h"

#include <cxxabi.h>
#include <sys/mman.h>

#include <boost/context/detail/fcontext.hpp>
#include <cerrno>
#include <cstring>

#include "server/base/check.h"

namespace overbite::ordering {

namespace context = boost::context::detail;

struct FiberEntry {
  static void run(context::transfer_t from) {
    auto* fiber = static_cast<Fiber*>(from.data);
    fiber->scheduler_context_ = from.fctx;
    fiber->entry_(fiber->argument_);
  }
};

Stacks::Stacks(int count) : bytes_(static_cast<std::size_t>(count) * kStackBytes) {
  void* memory = ::mmap(
      nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  CHECK(memory != MAP_FAILED);
  base_ = static_cast<std::byte*>(memory);
  for (int number = 0; number < count; ++number) {
    CHECK(::mprotect(stack(number), kGuardBytes, PROT_NONE) == 0);
  }
}

Stacks::~Stacks() { ::munmap(base_, bytes_); }

void Fiber::prepare(void (*entry)(void*), void* argument) {
  entry_ = entry;
  argument_ = argument;
  locals_ = {};
  context_ = context::make_fcontext(stack_ + stack_bytes_, stack_bytes_, &FiberEntry::run);
}

void Fiber::exchange_locals(ThreadLocals& save, const ThreadLocals& load) {
  void* globals = abi::__cxa_get_globals();
  std::memcpy(save.exception_globals.data(), globals, save.exception_globals.size());
  std::memcpy(globals, load.exception_globals.data(), load.exception_globals.size());
  save.errno_value = errno;
  errno = load.errno_value;
}

void Fiber::resume() {
  exchange_locals(scheduler_locals_, locals_);
  context_ = context::jump_fcontext(context_, this).fctx;
  exchange_locals(locals_, scheduler_locals_);
}

void Fiber::suspend() {
  scheduler_context_ = context::jump_fcontext(scheduler_context_, nullptr).fctx;
}

}  // namespace overbite::ordering
