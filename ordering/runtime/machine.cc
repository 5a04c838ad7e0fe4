#include "ordering/runtime/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "server/base/check.h"

namespace overbite::ordering {

namespace {

// Far from 0, which programs take for "not set".
constexpr std::int64_t kClockStartNs = 1'000'000'000'000;

Machine* running_machine = nullptr;
// True while a fiber runs model code; false in the harness and in hooks.
bool in_model = false;

}  // namespace

Machine::Machine() {
  for (auto& thread : threads_) {
    thread = std::make_unique<Thread>();
  }
}

Machine::~Machine() = default;

Machine* Machine::current() { return in_model ? running_machine : nullptr; }

Machine* Machine::enter() {
  if (!in_model) {
    return nullptr;
  }
  in_model = false;
  ++running_machine->hook_calls_;
  return running_machine;
}

void Machine::leave(Machine* entered) {
  if (entered != nullptr) {
    in_model = true;
  }
}

void Machine::reset() {
  arena_.reset();
  objects_.reset();
  races_.reset();
  datagrams_.clear();
  datagram_words_ = nullptr;
  execution_.end = End::kComplete;
  execution_.failure = {};
  execution_.failed_thread = -1;
  execution_.events.clear();
  execution_.threads.clear();
  execution_.objects.clear();
  execution_.datagrams.clear();
  thread_count_ = 0;
  running_ = -1;
  last_thread_ = -1;
  enabled_ = 0;
  assumed_ = false;
  timing_out_ = false;
  now_ns_ = kClockStartNs;
  nodes_ = 0;
  frames_ = 0;
}

void Machine::thread_main(void* raw) {
  auto& thread = *static_cast<Thread*>(raw);
  in_model = true;
  thread.entry();
  in_model = false;
  running_machine->suspend(Pause::kEnded);
}

ThreadId Machine::add_thread(std::function<void()> entry) {
  const ThreadId id = thread_count_++;
  Thread& thread = *threads_[index(id)];
  thread.entry = std::move(entry);
  thread.name = id == 0 ? "main" : fmt::format("thread {}", id);
  thread.pause = Pause::kOperation;
  thread.pending = false;
  thread.signalled = false;
  thread.signalled_by = -1;
  thread.joining = -1;
  thread.clock = {};
  thread.clock.at[index(id)] = 1;
  thread.acquired_by_relaxed = {};
  thread.released_by_fence = {};
  thread.frames.clear();
  thread.fiber.prepare(&Machine::thread_main, &thread);
  return id;
}

const Execution& Machine::run(const std::function<void()>& body,
                              Scheduler& scheduler,
                              std::size_t steps_max) {
  CHECK(running_machine == nullptr);
  reset();
  running_machine = this;
  add_thread(body);
  run_block(0);
  loop(scheduler, steps_max);
  in_model = false;
  running_machine = nullptr;
  if (execution_.end == End::kFailed || execution_.end == End::kStopped) {
    describe_execution();
  }
  scheduler.ended(*this, execution_.end);
  return execution_;
}

void Machine::loop(Scheduler& scheduler, std::size_t steps_max) {
  while (execution_.end == End::kComplete) {
    enabled_ = compute_enabled();
    if (enabled_ == 0) {
      end_blocked();
      return;
    }
    if (execution_.events.size() >= steps_max) {
      execution_.end = End::kStepCap;
      return;
    }
    Choice choice = scheduler.choose(*this);
    if (choice.kind == Choice::Kind::kCut) {
      execution_.end = End::kCut;
      return;
    }
    if (choice.kind == Choice::Kind::kStop) {
      execution_.end = End::kStopped;
      execution_.failure = std::move(choice.reason);
      return;
    }
    record(choice.thread, choice.variant);
    run_block(choice.thread);
  }
}

// Nothing can run: either all is done, or what is left waits for ever.
void Machine::end_blocked() {
  if (assumed_) {
    execution_.end = End::kAssumed;
    return;
  }
  std::string blocked;
  for (ThreadId id = 0; id < thread_count_; ++id) {
    const Thread& thread = *threads_[index(id)];
    if (thread.pause != Pause::kEnded) {
      blocked += fmt::format(
          "{}{} waits for {}", blocked.empty() ? "" : "; ", thread.name, waits_for(thread));
    }
  }
  if (!blocked.empty()) {
    execution_.end = End::kFailed;
    execution_.failure = {FailureKind::kDeadlock, "deadlock: " + blocked};
  }
}

ThreadMask Machine::pending() const {
  ThreadMask mask = 0;
  for (ThreadId id = 0; id < thread_count_; ++id) {
    mask |= threads_[index(id)]->pending ? mask_of(id) : 0;
  }
  return mask;
}

ThreadMask Machine::compute_enabled() {
  timing_out_ = false;
  ThreadMask mask = 0;
  for (ThreadId id = 0; id < thread_count_; ++id) {
    mask |= can_run(*threads_[index(id)]) ? mask_of(id) : 0;
  }
  if (mask != 0) {
    return mask;
  }
  // Time passes: the earliest deadline first. Who times out together is a choice of order.
  std::int64_t earliest = std::numeric_limits<std::int64_t>::max();
  for (ThreadId id = 0; id < thread_count_; ++id) {
    const Thread& thread = *threads_[index(id)];
    const bool mutex_free = thread.op.kind != OpKind::kWake || objects_[thread.op.mutex].owner < 0;
    const std::int64_t deadline = thread.op.deadline_ns;
    if (!thread.pending || deadline < 0 || deadline > earliest || !mutex_free) {
      continue;
    }
    mask = (deadline < earliest ? 0 : mask) | mask_of(id);
    earliest = deadline;
  }
  timing_out_ = mask != 0;
  return mask;
}

bool Machine::can_run(const Thread& thread) const {
  if (!thread.pending) {
    return false;
  }
  const Operation& op = thread.op;
  switch (op.kind) {
    case OpKind::kLock: {
      const Object& mutex = objects_[op.object];
      return mutex.owner < 0;
    }
    case OpKind::kWake:
      return thread.signalled && objects_[op.mutex].owner < 0;
    case OpKind::kPoll: {
      bool ready = op.non_blocking;
      for (int i = 0; i < op.polled_count; ++i) {
        ready = ready || readiness(objects_, op.polled[static_cast<std::size_t>(i)]) != 0;
      }
      return ready;
    }
    case OpKind::kReceive:
      return op.non_blocking || !objects_[op.object].incoming.empty() ||
             objects_[objects_[op.object].peer].closed;
    case OpKind::kEventRead:
      return op.non_blocking || objects_[op.object].counter != 0;
    case OpKind::kSend:
      return op.non_blocking ||
             objects_[objects_[op.object].peer].incoming.size() < kChannelCapacity;
    default:
      return true;
  }
}

void Machine::record(ThreadId id, int variant) {
  Thread& thread = *threads_[index(id)];
  Event& event = execution_.events.emplace_back();
  event.op = thread.op;
  event.footprint = footprint(id);
  event.thread = id;
  event.node = nodes_++;
  event.variant = variant;
  event.preempts =
      last_thread_ >= 0 && last_thread_ != id && (enabled_ & mask_of(last_thread_)) != 0;
  event.succeeded = !timing_out_;
  if (timing_out_) {
    now_ns_ = std::max(now_ns_, thread.op.deadline_ns);
  }
  if (thread.op.kind == OpKind::kLock || thread.op.kind == OpKind::kTryLock) {
    event.unlocked_by = objects_[thread.op.object].last_unlock;
  } else if (thread.op.kind == OpKind::kWake) {
    event.unlocked_by = objects_[thread.op.mutex].last_unlock;
    event.notified_by = thread.signalled_by;
  }
  thread.pending = false;
  last_thread_ = id;
}

// Runs `first` up to its next scheduling point. Threads it starts run up to their first one, and
// who waited for a thread that ends goes on to its next: none of that can be told by anybody else.
void Machine::run_block(ThreadId first) {
  std::vector<ThreadId> todo{first};
  while (!todo.empty() && execution_.end == End::kComplete) {
    running_ = todo.back();
    todo.pop_back();
    Thread& thread = *threads_[index(running_)];
    thread.fiber.resume();
    in_model = false;
    if (thread.pause == Pause::kSpawned) {
      todo.push_back(running_);
      todo.push_back(thread_count_ - 1);
    } else if (thread.pause == Pause::kEnded) {
      for (ThreadId id = 0; id < thread_count_; ++id) {
        Thread& joiner = *threads_[index(id)];
        if (joiner.pause == Pause::kJoining && joiner.joining == running_) {
          todo.push_back(id);
        }
      }
    }
  }
  running_ = -1;
}

void Machine::suspend(Pause pause) {
  Thread& thread = *threads_[index(running_)];
  thread.pause = pause;
  thread.fiber.suspend();
}

void Machine::reach(Operation op) {
  Thread& thread = *threads_[index(running_)];
  op.frame = thread.frames.empty() ? 0 : thread.frames.back();
  thread.op = op;
  thread.pending = true;
  suspend(Pause::kOperation);
}

void Machine::add_pseudo_event(OpKind kind, ThreadId other, const void* pc) {
  Event& event = execution_.events.emplace_back();
  event.op.kind = kind;
  event.op.other = other;
  event.op.pc = pc;
  event.thread = running_;
}

ThreadId Machine::spawn(std::function<void()> entry, const void* pc) {
  if (thread_count_ == kThreadsMax) {
    stop_unmodelled(fmt::format("pthread_create of more than {} threads", kThreadsMax - 1));
  }
  const ThreadId child = add_thread(std::move(entry));
  add_pseudo_event(OpKind::kSpawn, child, pc);
  Thread& thread = *threads_[index(running_)];
  threads_[index(child)]->clock.join(thread.clock);
  ++thread.clock.at[index(running_)];
  suspend(Pause::kSpawned);
  return child;
}

void Machine::join(ThreadId other, const void* pc) {
  Thread& thread = *threads_[index(running_)];
  thread.joining = other;
  if (threads_[index(other)]->pause != Pause::kEnded) {
    suspend(Pause::kJoining);
  }
  thread.joining = -1;
  thread.clock.join(threads_[index(other)]->clock);
  add_pseudo_event(OpKind::kJoin, other, pc);
}

void Machine::name_thread(std::string name) { threads_[index(running_)]->name = std::move(name); }

void Machine::fail(FailureKind kind, std::string message) {
  in_model = false;
  execution_.end = kind == FailureKind::kUnmodelled ? End::kStopped : End::kFailed;
  execution_.failure = {kind, std::move(message)};
  execution_.failed_thread = running_;
  suspend(Pause::kAborted);
  CHECK(false);
}

void Machine::stop_unmodelled(const std::string& call) {
  fail(FailureKind::kUnmodelled, "not modelled: " + call);
}

void Machine::assume_failed() {
  in_model = false;
  assumed_ = true;
  suspend(Pause::kAssumed);
  CHECK(false);
}

ThreadId Machine::pick_waiter(Object& condition, int variant) {
  const auto at = condition.waiters.begin() + variant;
  const ThreadId waiter = *at;
  condition.waiters.erase(at);
  return waiter;
}

void Machine::clear_signal() {
  threads_[index(running_)]->signalled = false;
  threads_[index(running_)]->signalled_by = -1;
}

void Machine::wake(ThreadId waiter) {
  threads_[index(waiter)]->signalled = true;
  threads_[index(waiter)]->signalled_by = static_cast<int>(execution_.events.size()) - 1;
}

std::size_t Machine::log_datagram(const void* bytes, std::size_t size) {
  const auto* from = static_cast<const char*>(bytes);
  datagrams_.emplace_back(from, from + size);
  return datagrams_.size();
}

void Machine::function_entry() { threads_[index(running_)]->frames.push_back(++frames_); }

void Machine::function_exit() {
  auto& frames = threads_[index(running_)]->frames;
  if (!frames.empty()) {
    frames.pop_back();
  }
}

}  // namespace overbite::ordering
