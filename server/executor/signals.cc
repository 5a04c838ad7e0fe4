#include "server/executor/signals.h"

#include <csignal>
#include <utility>

namespace overbite::executor {

namespace {

std::function<void()>& action() {
  static std::function<void()> callback;
  return callback;
}

volatile std::sig_atomic_t first_signal = 0;

void handle(int signal) {
  if (first_signal == 0) {
    first_signal = signal;
  }
  action()();
}

void install(void (*handler)(int)) {
  struct sigaction change{};
  change.sa_handler = handler;
  sigemptyset(&change.sa_mask);
  sigaction(SIGINT, &change, nullptr);
  sigaction(SIGTERM, &change, nullptr);
}

}  // namespace

StopSignals::StopSignals(std::function<void()> on_signal) {
  action() = std::move(on_signal);
  install(handle);
}

StopSignals::~StopSignals() { install(SIG_DFL); }

int StopSignals::caught() { return first_signal; }

}  // namespace overbite::executor
