// Time: one clock for all purposes; it stands still while anything can run.
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "ordering/runtime/hook.h"

namespace {

using overbite::ordering::Machine;
using overbite::ordering::ModelCall;
using overbite::ordering::ObjectKind;
using overbite::ordering::Operation;
using overbite::ordering::OpKind;
using overbite::ordering::real_call;

constexpr std::int64_t kSecond = 1'000'000'000;

// Waits for something that never comes.
void sleep_until(Machine& machine, std::int64_t deadline_ns) {
  Operation op;
  op.kind = OpKind::kTake;
  op.object = machine.objects().anonymous(machine.thread(), ObjectKind::kCounter);
  op.non_blocking = false;
  op.deadline_ns = deadline_ns;
  machine.perform(op);
}

std::int64_t to_ns(const timespec& time) { return time.tv_sec * kSecond + time.tv_nsec; }

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* time) {
  const ModelCall call;
  if (!call) {
    static auto* const real = real_call<decltype(clock_gettime)>("clock_gettime");
    return real(clock, time);
  }
  const std::int64_t now = call->now_ns();
  *time = {.tv_sec = static_cast<time_t>(now / kSecond),
           .tv_nsec = static_cast<long>(now % kSecond)};
  return 0;
}

int gettimeofday(timeval* time, void* zone) {
  OVERBITE_OR_REAL(gettimeofday, time, zone);
  const std::int64_t now = call->now_ns();
  *time = {.tv_sec = static_cast<time_t>(now / kSecond),
           .tv_usec = static_cast<suseconds_t>(now % kSecond / 1000)};
  return 0;
}

time_t time(time_t* out) {
  OVERBITE_OR_REAL(time, out);
  const auto now = static_cast<time_t>(call->now_ns() / kSecond);
  if (out != nullptr) {
    *out = now;
  }
  return now;
}

int nanosleep(const timespec* time, timespec* left) {
  const ModelCall call;
  if (!call) {
    static auto* const real = real_call<decltype(nanosleep)>("nanosleep");
    return real(time, left);
  }
  sleep_until(*call, call->now_ns() + to_ns(*time));
  return 0;
}

int clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* left) {
  const ModelCall call;
  if (!call) {
    static auto* const real = real_call<decltype(clock_nanosleep)>("clock_nanosleep");
    return real(clock, flags, time, left);
  }
  const bool absolute = (flags & TIMER_ABSTIME) != 0;
  sleep_until(*call, (absolute ? 0 : call->now_ns()) + to_ns(*time));
  return 0;
}

int usleep(useconds_t time) {
  const ModelCall call;
  if (!call) {
    static auto* const real = real_call<decltype(usleep)>("usleep");
    return real(time);
  }
  sleep_until(*call, call->now_ns() + std::int64_t{time} * 1000);
  return 0;
}

unsigned sleep(unsigned seconds) {
  const ModelCall call;
  if (!call) {
    static auto* const real = real_call<decltype(sleep)>("sleep");
    return real(seconds);
  }
  sleep_until(*call, call->now_ns() + std::int64_t{seconds} * kSecond);
  return 0;
}

}  // extern "C"
