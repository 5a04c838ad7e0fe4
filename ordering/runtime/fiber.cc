#include "ordering/runtime/fiber.h"

#include <cxxabi.h>
#include <sys/mman.h>

#include <boost/context/detail/fcontext.hpp>
#include <cerrno>
#include <cstring>

#include "server/base/check.h"

namespace overbite::ordering {

namespace context = boost::context::detail;

namespace {
constexpr std::size_t kStackBytes = 256 * 1024;
constexpr std::size_t kGuardBytes = 4096;
}  // namespace

struct FiberEntry {
  static void run(context::transfer_t from) {
    auto* fiber = static_cast<Fiber*>(from.data);
    fiber->scheduler_context_ = from.fctx;
    fiber->entry_(fiber->argument_);
  }
};

Fiber::Fiber() {
  stack_ = ::mmap(nullptr,
                  kStackBytes + kGuardBytes,
                  PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                  -1,
                  0);
  CHECK(stack_ != MAP_FAILED);
  CHECK(::mprotect(stack_, kGuardBytes, PROT_NONE) == 0);
}

Fiber::~Fiber() { ::munmap(stack_, kStackBytes + kGuardBytes); }

void Fiber::prepare(void (*entry)(void*), void* argument) {
  entry_ = entry;
  argument_ = argument;
  locals_ = {};
  context_ = context::make_fcontext(
      static_cast<std::byte*>(stack_) + kGuardBytes + kStackBytes, kStackBytes, &FiberEntry::run);
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
