#include "ordering/runtime/crash_handler.h"

#include <signal.h>

#include <array>
#include <cstddef>

#include "ordering/runtime/machine.h"
#include "server/base/check.h"

namespace overbite::ordering {

namespace {

// The fiber's own stack may be what overflowed.
alignas(16) std::array<std::byte, 65536> signal_stack;

const char* name_of(int signal) {
  switch (signal) {
    case SIGSEGV:
      return "crash: segmentation fault";
    case SIGBUS:
      return "crash: bus error";
    case SIGFPE:
      return "crash: arithmetic fault";
    default:
      return "crash: illegal instruction";
  }
}

void on_crash(int signal) {
  if (Machine* machine = Machine::enter()) {
    // Leaves the handler for the scheduler and never returns to it; the kernel takes the signal
    // stack for unused as soon as the stack pointer is elsewhere.
    machine->fail(FailureKind::kCrash, name_of(signal));
  }
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

}  // namespace

void install_crash_handler() {
  static const bool installed = [] {
    const stack_t stack{
        .ss_sp = signal_stack.data(), .ss_flags = 0, .ss_size = signal_stack.size()};
    CHECK(::sigaltstack(&stack, nullptr) == 0);
    struct sigaction action{};
    action.sa_handler = &on_crash;
    // Not blocked while handled: the handler is left by a jump.
    action.sa_flags = SA_ONSTACK | SA_NODEFER;
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
      CHECK(::sigaction(signal, &action, nullptr) == 0);
    }
    return true;
  }();
  static_cast<void>(installed);
}

}  // namespace overbite::ordering
