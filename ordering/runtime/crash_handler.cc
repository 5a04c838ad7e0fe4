#include "ordering/runtime/crash_handler.h"

#include <signal.h>
#include <sys/time.h>

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

// Leaving the handler by fail(): see below.
void on_crash(int signal, siginfo_t* info, void*) {
  if (Machine* machine = Machine::overflowed(info->si_addr)) {
    machine->fail(FailureKind::kCrash, "crash: stack overflow (a thread has 448 KiB)");
  }
  if (Machine* machine = Machine::enter()) {
    // Leaves the handler for the scheduler and never returns to it; the kernel takes the signal
    // stack for unused as soon as the stack pointer is elsewhere.
    machine->fail(FailureKind::kCrash, name_of(signal));
  }
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

// Once a second of processor time.
void on_tick(int) {
  constexpr int kSecondsMax = 5;
  static std::uint64_t last = 0;
  static int still = 0;
  const std::uint64_t now = Machine::pulse();
  still = now == last ? still + 1 : 0;
  last = now;
  if (still >= kSecondsMax) {
    still = 0;
    if (Machine* machine = Machine::enter()) {
      machine->fail(FailureKind::kCrash, "endless loop: no operation in 5 s of processor time");
    }
  }
}

void watch_for_endless_loops() {
  struct sigaction action{};
  action.sa_handler = &on_tick;
  action.sa_flags = SA_ONSTACK | SA_NODEFER | SA_RESTART;
  CHECK(::sigaction(SIGVTALRM, &action, nullptr) == 0);
  const itimerval second{{1, 0}, {1, 0}};
  CHECK(::setitimer(ITIMER_VIRTUAL, &second, nullptr) == 0);
}

}  // namespace

void install_crash_handler() {
  static const bool installed = [] {
    const stack_t stack{
        .ss_sp = signal_stack.data(), .ss_flags = 0, .ss_size = signal_stack.size()};
    CHECK(::sigaltstack(&stack, nullptr) == 0);
    struct sigaction action{};
    action.sa_sigaction = &on_crash;
    // Not blocked while handled: the handler is left by a jump.
    action.sa_flags = SA_ONSTACK | SA_NODEFER | SA_SIGINFO;
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
      CHECK(::sigaction(signal, &action, nullptr) == 0);
    }
    watch_for_endless_loops();
    return true;
  }();
  static_cast<void>(installed);
}

}  // namespace overbite::ordering
