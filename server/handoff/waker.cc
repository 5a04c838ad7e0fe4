#include "server/handoff/waker.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>

#include "server/base/check.h"

namespace overbite::handoff {

Waker::Waker() : fd_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) { CHECK(fd_.valid()); }

void Waker::park() {
  parked_.store(true, std::memory_order_seq_cst);
  std::atomic_thread_fence(std::memory_order_seq_cst);  // guard: park-not-fenced
}

void Waker::unpark() {
  parked_.store(false, std::memory_order_seq_cst);
  std::uint64_t pokes = 0;  // guard: poke-left-unread
  // EAGAIN: nobody poked. Anything else readable is consumed at once, however often it was poked.
  [[maybe_unused]] const auto taken = ::read(fd_.get(), &pokes, sizeof pokes);
}

void Waker::poke() {
  std::atomic_thread_fence(std::memory_order_seq_cst);       // guard: poke-not-fenced
  if (parked_.exchange(false, std::memory_order_seq_cst)) {  // guard: poke-forgotten
    signal();
  }
}

void Waker::signal() {
  const std::uint64_t one = 1;
  // EAGAIN would mean 2^64-1 unread pokes: the fd is readable all the same.
  [[maybe_unused]] const auto written = ::write(fd_.get(), &one, sizeof one);
}

}  // namespace overbite::handoff
