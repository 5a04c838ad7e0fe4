// A stack of its own and a place to go on from.
#pragma once

#include <array>
#include <cstddef>

namespace overbite::ordering {

// All fibers run on one OS thread. A fiber that is dropped half-way is never unwound: its stack is
// simply used again, and what it allocated goes with the execution's arena.
class Fiber {
 public:
  // The stack: `bytes` from `memory` on, whoever owns them.
  Fiber(std::byte* memory, std::size_t bytes) : stack_(memory), stack_bytes_(bytes) {}
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // The next resume() enters `entry(argument)` on an empty stack; `entry` must not return.
  void prepare(void (*entry)(void*), void* argument);
  // From the scheduler: runs the fiber until it calls suspend().
  void resume();
  // From inside: back to whoever resumed it.
  void suspend();

 private:
  // What the C++ runtime and libc keep for a thread, as far as it must not leak between fibers.
  struct ThreadLocals {
    std::array<std::byte, 16> exception_globals{};
    int errno_value = 0;
  };
  static void exchange_locals(ThreadLocals& save, const ThreadLocals& load);

  std::byte* const stack_;
  const std::size_t stack_bytes_;
  void* context_ = nullptr;
  void* scheduler_context_ = nullptr;
  void (*entry_)(void*) = nullptr;
  void* argument_ = nullptr;
  ThreadLocals locals_;
  ThreadLocals scheduler_locals_;

  friend struct FiberEntry;
};

// The stacks of all fibers, each kStackBytes long; the lowest kGuardBytes must not be touched.
class Stacks {
 public:
  static constexpr std::size_t kStackBytes = std::size_t{512} << 10;
  static constexpr std::size_t kGuardBytes = std::size_t{64} << 10;

  explicit Stacks(int count);
  ~Stacks();
  Stacks(const Stacks&) = delete;
  Stacks& operator=(const Stacks&) = delete;

  const std::byte* base() const { return base_; }
  bool is_guard(int number, const void* address) const {
    return static_cast<std::size_t>(static_cast<const std::byte*>(address) - stack(number)) <
           kGuardBytes;
  }
  std::byte* stack(int number) const {
    return base_ + static_cast<std::size_t>(number) * kStackBytes;
  }

 private:
  std::byte* base_ = nullptr;
  std::size_t bytes_;
};

}  // namespace overbite::ordering
