// More calls that are not modelled: each ends the run and is named. No header is included that
// declares them: outside an execution all they get is handed on, which is at most six words.
#include "ordering/runtime/machine.h"
#include "ordering/runtime/real_call.h"

#define OVERBITE_REFUSE(name)                                                             \
  extern "C" long overbite_##name(long, long, long, long, long, long) __asm__(#name);     \
  extern "C" long overbite_##name(long a, long b, long c, long d, long e, long f) {       \
    using namespace overbite::ordering;                                                   \
    if (Machine* const machine = Machine::enter()) {                                      \
      machine->stop_unmodelled(#name);                                                    \
    }                                                                                     \
    static auto* const real = real_call<long(long, long, long, long, long, long)>(#name); \
    return real(a, b, c, d, e, f);                                                        \
  }

// Threads.
OVERBITE_REFUSE(pthread_cancel)
OVERBITE_REFUSE(pthread_kill)
OVERBITE_REFUSE(pthread_sigqueue)
OVERBITE_REFUSE(pthread_tryjoin_np)
OVERBITE_REFUSE(pthread_timedjoin_np)
OVERBITE_REFUSE(pthread_clockjoin_np)
OVERBITE_REFUSE(pthread_getattr_np)
OVERBITE_REFUSE(pthread_getcpuclockid)
OVERBITE_REFUSE(pthread_mutex_consistent)
OVERBITE_REFUSE(sem_open)
// Descriptors.
OVERBITE_REFUSE(pipe)
OVERBITE_REFUSE(pipe2)
OVERBITE_REFUSE(timerfd_create)
OVERBITE_REFUSE(signalfd)
OVERBITE_REFUSE(epoll_create)
OVERBITE_REFUSE(epoll_create1)
OVERBITE_REFUSE(epoll_pwait2)
OVERBITE_REFUSE(pselect)
OVERBITE_REFUSE(recvmmsg)
OVERBITE_REFUSE(sendmmsg)
OVERBITE_REFUSE(dup)
OVERBITE_REFUSE(dup2)
OVERBITE_REFUSE(dup3)
OVERBITE_REFUSE(fcntl)
OVERBITE_REFUSE(fcntl64)
OVERBITE_REFUSE(ioctl)
OVERBITE_REFUSE(flock)
OVERBITE_REFUSE(lockf)
// Processes, signals and messages.
OVERBITE_REFUSE(fork)
OVERBITE_REFUSE(vfork)
OVERBITE_REFUSE(posix_spawn)
OVERBITE_REFUSE(system)
OVERBITE_REFUSE(wait)
OVERBITE_REFUSE(waitid)
OVERBITE_REFUSE(sigwait)
OVERBITE_REFUSE(sigwaitinfo)
OVERBITE_REFUSE(sigtimedwait)
OVERBITE_REFUSE(sigsuspend)
OVERBITE_REFUSE(timer_create)
OVERBITE_REFUSE(setitimer)
OVERBITE_REFUSE(alarm)
OVERBITE_REFUSE(mq_open)
OVERBITE_REFUSE(msgrcv)
OVERBITE_REFUSE(semop)
// Atomics of sizes that have no instruction: libatomic takes a lock that nobody sees.
OVERBITE_REFUSE(__atomic_load)
OVERBITE_REFUSE(__atomic_store)
OVERBITE_REFUSE(__atomic_exchange)
OVERBITE_REFUSE(__atomic_compare_exchange)
