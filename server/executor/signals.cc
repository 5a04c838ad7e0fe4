#include "server/executor/signals.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <utility>

#include "server/base/check.h"
#include "server/base/log.h"

namespace overbite::executor {

namespace {

std::function<void()>& action() {
  static std::function<void()> callback;
  return callback;
}

// Also read by the watchdog.
std::atomic<int> first_signal = 0;
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may not lock");
int signalled_fd = -1;  // of the one StopSignals there is: readable after a signal

void wake(int fd) {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(fd, &one, sizeof one);
}

void handle(int signal) {
  if (first_signal == 0) {
    first_signal = signal;
  }
  wake(signalled_fd);
  action()();
}

void install(void (*handler)(int)) {
  struct sigaction change{};
  change.sa_handler = handler;
  sigemptyset(&change.sa_mask);
  sigaction(SIGINT, &change, nullptr);
  sigaction(SIGTERM, &change, nullptr);
}

// Until one of the two is readable, or the time is over (-1: never). Whether `fd` is.
bool wait_for(int fd, int other, std::int64_t timeout_ms) {
  pollfd entries[] = {{.fd = fd, .events = POLLIN, .revents = 0},
                      {.fd = other, .events = POLLIN, .revents = 0}};
  while (::poll(entries, 2, static_cast<int>(timeout_ms)) < 0) {
  }
  return (entries[0].revents & POLLIN) != 0;
}

}  // namespace

StopSignals::StopSignals(std::function<void()> on_signal, std::int64_t bound_ms)
    : bound_ms_(bound_ms), ended_(::eventfd(0, EFD_CLOEXEC)) {
  static const base::UniqueFd signalled(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  CHECK(ended_.valid() && signalled.valid() && !action());
  signalled_fd = signalled.get();
  action() = std::move(on_signal);
  watchdog_ = std::thread([this] { watch(); });
  install(handle);
}

StopSignals::~StopSignals() {
  install(SIG_DFL);
  wake(ended_.get());
  watchdog_.join();
  action() = nullptr;
}

void StopSignals::watch() const {
  if (wait_for(ended_.get(), signalled_fd, -1) || wait_for(ended_.get(), -1, bound_ms_)) {
    return;
  }
  base::log(base::Level::kWarning, "The application does not give control back: left behind.");
  leave_at_once();
}

int StopSignals::caught() { return first_signal; }

void leave_at_once() {
  if (first_signal == SIGTERM) {
    install(SIG_DFL);
    std::raise(SIGTERM);
  }
  std::_Exit(0);
}

}  // namespace overbite::executor
