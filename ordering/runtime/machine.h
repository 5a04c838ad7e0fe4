// Runs one execution of a scenario on fibers, asking a scheduler at every scheduling point.
//
// Everything here is called on one OS thread: run() by the explorer, the rest by the hooks that
// stand in for __tsan_*, pthread_* and the descriptor calls, on the fiber that makes the call.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ordering/runtime/arena.h"
#include "ordering/runtime/fiber.h"
#include "ordering/runtime/objects.h"
#include "ordering/runtime/operation.h"
#include "ordering/runtime/race_detector.h"
#include "ordering/runtime/scheduler.h"

namespace overbite::ordering {

class Machine final : private StepView {
 public:
  // Visible operations of one execution; beyond it End::kStepCap.
  static constexpr std::size_t kStepsMaxDefault = 20000;

  Machine();
  ~Machine() override;

  // Runs `body` from scratch. The result is valid until the next run.
  const Execution& run(const std::function<void()>& body,
                       Scheduler& scheduler,
                       std::size_t steps_max = kStepsMaxDefault);

  // Null unless the calling code is model code, that is, neither the harness nor a hook.
  static Machine* current();
  static Machine* enter();  // as current(), and the harness from now on
  static void leave(Machine* entered);

  // --- for the hooks -----------------------------------------------------------------------
  // Returns when the scheduler lets this thread do `op`; the caller then does it at once.
  void reach(Operation op);
  // The operation that is being done.
  Event& event() { return execution_.events.back(); }
  const Event* first_event() const { return execution_.events.data(); }
  Objects& objects() { return objects_; }
  const Objects& objects() const { return objects_; }
  Arena& arena() { return arena_; }
  // Puts a copy of the next event's datagram aside for the timeline; its number, from 1.
  std::size_t log_datagram(const void* bytes, std::size_t size);
  // How a datagram reads; must not touch the model. Null: by number.
  using DatagramWords = std::string (*)(const void* bytes, std::size_t size);
  void name_datagrams(DatagramWords words) { datagram_words_ = words; }
  ThreadId thread() const { return running_; }
  // Ends the execution here; does not return.
  [[noreturn]] void fail(FailureKind kind, std::string message);
  [[noreturn]] void stop_unmodelled(const std::string& call);
  // The calling thread never goes on; the others do, and the execution counts as assumed away.
  [[noreturn]] void assume_failed();

  ThreadId spawn(std::function<void()> entry, const void* pc);
  void join(ThreadId thread, const void* pc);
  int thread_count() const { return thread_count_; }
  void name_thread(std::string name);

  // Plain and atomic accesses, for the race detector.
  void access(const MemoryAccess& access);
  // C++ happens-before. `order` is a std::memory_order as an int.
  void atomic_load(Object& object, int order);
  void atomic_store(Object& object, int order);
  void atomic_rmw(Object& object, int order);
  void fence(int order);
  void acquire(const VectorClock& clock);
  // What happens before the present of the calling thread, for somebody to acquire.
  VectorClock release();

  // What every clock shows to model code.
  std::int64_t now_ns() const { return now_ns_; }

  void function_entry();
  void function_exit();

  // The waiter that a notify of this variant wakes.
  ThreadId pick_waiter(Object& condition, int variant);
  void wake(ThreadId waiter);
  // Of the calling thread, around its kWake.
  void clear_signal();
  bool is_signalled() const { return threads_[index(running_)]->signalled; }

  // For the self-check: instrumented calls of any kind, ever.
  std::uint64_t hook_calls() const { return hook_calls_; }

 private:
  enum class Pause : std::uint8_t { kOperation, kSpawned, kJoining, kEnded, kAborted, kAssumed };
  struct Thread {
    Fiber fiber;
    std::function<void()> entry;
    std::string name;
    Pause pause = Pause::kEnded;
    bool pending = false;
    bool signalled = false;  // a kWake that was notified
    int signalled_by = -1;
    ThreadId joining = -1;
    Operation op;
    VectorClock clock;
    VectorClock acquired_by_relaxed;  // what an acquire fence would bring
    VectorClock released_by_fence;    // what relaxed stores publish
    std::vector<std::uint32_t> frames;
  };

  // StepView
  ThreadMask enabled() const override { return enabled_; }
  ThreadMask pending() const override;
  ThreadId last_thread() const override { return last_thread_; }
  const Operation& next(ThreadId thread) const override { return threads_[index(thread)]->op; }
  Footprint footprint(ThreadId thread) const override;
  int variants(ThreadId thread) const override;
  const std::vector<Event>& events() const override { return execution_.events; }
  std::string describe_next(ThreadId thread) const override;

  static std::size_t index(ThreadId thread) { return static_cast<std::size_t>(thread); }
  static void thread_main(void* thread);
  void reset();
  ThreadId add_thread(std::function<void()> entry);
  void run_block(ThreadId thread);
  void record(ThreadId thread, int variant);
  bool can_run(const Thread& thread) const;
  ThreadMask compute_enabled();
  void loop(Scheduler& scheduler, std::size_t steps_max);
  void end_blocked();
  void suspend(Pause pause);
  void describe_execution();
  std::string waits_for(const Thread& thread) const;
  void add_pseudo_event(OpKind kind, ThreadId other, const void* pc);

  Arena& arena_ = Arena::shared();
  std::vector<std::vector<char>> datagrams_;
  DatagramWords datagram_words_ = nullptr;
  Objects objects_;
  RaceDetector races_;
  Execution execution_;
  std::array<std::unique_ptr<Thread>, kThreadsMax> threads_;
  int thread_count_ = 0;
  ThreadId running_ = -1;
  ThreadId last_thread_ = -1;
  ThreadMask enabled_ = 0;
  bool assumed_ = false;
  bool timing_out_ = false;  // nothing else can run: the earliest timed wait ends
  std::int64_t now_ns_ = 0;
  int nodes_ = 0;
  std::uint32_t frames_ = 0;
  std::uint64_t hook_calls_ = 0;
};

// For the body of a hook: outside model code it holds null and the hook forwards to the real call.
class ModelCall {
 public:
  ModelCall() : machine_(Machine::enter()) {}
  ~ModelCall() { Machine::leave(machine_); }
  ModelCall(const ModelCall&) = delete;
  ModelCall& operator=(const ModelCall&) = delete;
  explicit operator bool() const { return machine_ != nullptr; }
  Machine* operator->() const { return machine_; }
  Machine& operator*() const { return *machine_; }

 private:
  Machine* machine_;
};

}  // namespace overbite::ordering
