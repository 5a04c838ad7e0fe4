#include "ordering/runtime/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "ordering/runtime/hook.h"
#include "ordering/runtime/symbols.h"
#include "server/base/check.h"

namespace overbite::ordering {

namespace {

// The body's own call is the harness's.
void* run_body(void* body) {
  (*static_cast<const std::function<void()>*>(body))();
  return nullptr;
}

}  // namespace

Machine::Machine() {
  for (ThreadId id = 0; id < kThreadsMax; ++id) {
    threads_[index(id)] = std::make_unique<Thread>(stacks_.stack(id));
  }
}

Machine::~Machine() = default;

void Machine::reset() {
  arena_.reset();
  objects_.begin_execution();
  races_.reset();
  datagrams_.clear();
  keys_.clear();
  datagram_words_ = nullptr;
  execution_.end = End::kComplete;
  execution_.failure = {};
  execution_.failed_thread = -1;
  execution_.steps = 0;
  execution_.events.clear();
  execution_.threads.clear();
  execution_.objects.clear();
  execution_.datagrams.clear();
  execution_.race.clear();
  execution_.sites.clear();
  for (ThreadId id = 0; id < thread_limit_; ++id) {
    threads_[index(id)]->state = State::kNone;
  }
  thread_limit_ = 0;
  running_ = -1;
  assumed_ = false;
  frames_ = 0;
}

void Machine::thread_main(void* raw) {
  auto& thread = *static_cast<Thread*>(raw);
  running_machine_->come_back();
  in_model_ = true;
  void* const result = thread.entry.function(thread.entry.argument);
  in_model_ = false;
  running_machine_->end_thread(result);
}

void Machine::end_thread(void* result) {
  while (!current_->exits.empty()) {
    const ThreadExit exit = current_->exits.back();
    current_->exits.pop_back();
    in_model_ = true;
    exit.function(exit.argument);
  }
  in_model_ = false;
  if (running_ != 0) {
    run_key_destructors(*this);
  }
  threads_[index(running_)]->result = result;
  Operation op;
  op.kind = OpKind::kEnd;
  perform(op);
  suspend(State::kEnded);
  CHECK(false);
  std::abort();
}

void Machine::add_thread(ThreadId id, Entry entry) {
  thread_limit_ = std::max(thread_limit_, id + 1);
  Thread& thread = *threads_[index(id)];
  thread.entry = entry;
  thread.result = nullptr;
  thread.name.clear();
  thread.state = State::kNew;
  thread.depth = 0;
  thread.looks.clear();
  thread.exits.clear();
  thread.counted.clear();
  thread.held.clear();
  thread.spurious = 0;
  thread.reuses = 0;
  thread.key_values.clear();
  thread.fiber.prepare(&Machine::thread_main, &thread);
}

const Execution& Machine::run(const std::function<void()>& body, Director& director) {
  do {
    run_once(body, director);
  } while (execution_.end == End::kAgain);
  return execution_;
}

void Machine::run_once(const std::function<void()>& body, Director& director) {
  CHECK(running_machine_ == nullptr);
  ++runs_;
  reset();
  director.start();
  running_machine_ = this;
  director_ = &director;
  add_thread(0, {&run_body, const_cast<std::function<void()>*>(&body)});
  for (running_ = director.next(); running_ >= 0; running_ = director.next()) {
    threads_[index(running_)]->fiber.resume();
    in_model_ = false;
    if (execution_.end != End::kComplete) {
      break;
    }
  }
  running_machine_ = nullptr;
  if (execution_.end == End::kComplete) {
    execution_.end = director.end();
    execution_.failure = director.failure();
    check_leaks();
  }
  if (execution_.end == End::kFailed || execution_.end == End::kStopped) {
    describe_execution();
  }
}

void Machine::collect(const Site& site) {
  const bool known = std::any_of(
      sites_.begin(), sites_.end(), [&](const Site& other) { return other.pc == site.pc; });
  if (!known) {
    sites_.push_back(site);
  }
}

void Machine::suspend(State state) {
  Thread& thread = *threads_[index(running_)];
  thread.state = state;
  thread.fiber.suspend();
}

Result Machine::perform(const Operation& asked) {
  Thread& thread = *threads_[index(running_)];
  Operation op = asked;
  op.frame = thread.depth < kDepthMax ? thread.frames[thread.depth] : 0;
  if (op.kind != OpKind::kLoad && op.kind != OpKind::kCas) {
    did_more_than_look();
  }
  // A clock counts to 32767, and an operation may be two events.
  constexpr std::int16_t kPositionsMax = 32'000;
  if (position_ > kPositionsMax || (op.object != kNoObject && ++execution_.steps > steps_max_)) {
    execution_.end = End::kStepCap;
    suspend(thread.state);
  }
  Result result;
  if (!director_->arrive(running_, op, result)) {
    thread.op = op;
    do {
      suspend(State::kAtPoint);
    } while (!director_->arrive(running_, thread.op, result));
  }
  come_back();
  return result;
}

// What the race detector has to know of the running thread.
void Machine::come_back() {
  current_ = threads_[index(running_)].get();
  position_ = static_cast<std::int16_t>(director_->done(running_) + 1);
  clock_ = director_->clock(running_);
}

bool Machine::wait_for_change(int reads, std::int64_t deadline_ns) {
  bool timed_out = false;
  threads_[index(running_)]->deadline_ns = deadline_ns;
  while (!director_->wait(running_, reads, deadline_ns, timed_out)) {
    if (timed_out) {
      break;
    }
    suspend(State::kWaiting);
  }
  come_back();
  return !timed_out;
}

void Machine::look(const void* address, const void* pc) {
  const std::byte* const stack_end = stacks_.stack(running_) + Stacks::kStackBytes;
  const std::size_t turn = spins_.turn_before(current_->looks, pc, address, stack_end);
  if (spins_.has_learnt()) {
    execution_.end = End::kRestart;
    suspend(current_->state);
  }
  if (turn != 0) {
    current_->counted.clear();
    wait_for_change(static_cast<int>(turn), -1);
  }
}

ThreadId Machine::spawn(Entry entry, const void* pc) {
  Operation op;
  op.kind = OpKind::kSpawn;
  op.pc = pc;
  const ThreadId child = perform(op).choice;
  if (child >= kThreadsMax) {
    stop_unmodelled(fmt::format("more than {} threads", kThreadsMax));
  }
  add_thread(child, entry);
  return child;
}

void Machine::join(ThreadId other, const void* pc) {
  Operation op;
  op.kind = OpKind::kJoin;
  op.other = static_cast<std::int8_t>(other);
  op.pc = pc;
  perform(op);
}

bool Machine::wakes_for_nothing() {
  if (current_->spurious >= spurious_) {  // guard: spurious-budget
    return false;
  }
  const bool spurious = takes_either();
  current_->spurious += spurious ? 1 : 0;
  return spurious;
}

bool Machine::takes_either() {
  Operation op;
  op.kind = OpKind::kChoose;
  op.choices = 2;
  return perform(op).choice == 1;
}

void Machine::name_thread(std::string name) { threads_[index(running_)]->name = std::move(name); }

void Machine::fail(FailureKind kind, std::string message) {
  in_model_ = false;
  execution_.end = kind == FailureKind::kUnmodelled ? End::kStopped : End::kFailed;
  execution_.failure = {kind, std::move(message)};
  execution_.failed_thread = running_;
  suspend(threads_[index(running_)]->state);
  CHECK(false);
  std::abort();
}

void Machine::stop_unmodelled(const std::string& call) {
  fail(FailureKind::kUnmodelled, "not modelled: " + call);
}

void Machine::assume_failed() {
  in_model_ = false;
  assumed_ = true;
  suspend(State::kGivenUp);
  CHECK(false);
  std::abort();
}

void Machine::put_datagram(ObjectId queue,
                           std::uint32_t number,
                           const void* bytes,
                           std::size_t size) {
  const auto* from = static_cast<const char*>(bytes);
  datagrams_.push_back({queue, number, {from, from + size}});
}

const std::vector<char>& Machine::datagram(ObjectId queue, std::uint32_t number) const {
  for (const Datagram& datagram : datagrams_) {
    if (datagram.queue == queue && datagram.number == number) {
      return datagram.bytes;
    }
  }
  CHECK(false);
  std::abort();
}

std::string Machine::waits_for(ThreadId id) const {
  const Thread& thread = *threads_[index(id)];
  if (thread.op.kind == OpKind::kJoin && thread.state == State::kAtPoint) {
    return fmt::format("the end of {}", name_of(thread.op.other));
  }
  const Operation& op = thread.op;
  const std::string object = op.object != kNoObject ? objects_.describe(op.object) : "a change";
  switch (op.kind) {
    case OpKind::kLock:
    case OpKind::kLockShared:
      return "lock of " + object;
    case OpKind::kWake:
      return "a notification of " + object;
    case OpKind::kPoll:
      return "poll of " + object;
    case OpKind::kReceive:
      return "a datagram at " + object;
    case OpKind::kTake:
      return "a write of " + object;
    default:
      return object;
  }
}

std::string Machine::name_of(ThreadId id) const {
  const std::string& given = threads_[index(id)]->name;
  return !given.empty() ? given : id == 0 ? "main" : fmt::format("thread {}", id);
}

void Machine::describe_execution() {
  for (ThreadId id = 0; id < thread_limit_; ++id) {
    execution_.threads.push_back({name_of(id), {}});
  }
  for (ObjectId id = 0; id < objects_.size(); ++id) {
    execution_.objects.push_back(objects_.describe(id));
  }
  for (const Datagram& datagram : datagrams_) {
    if (datagram_words_ != nullptr) {
      execution_.datagrams.push_back(
          {datagram.queue,
           datagram.number,
           datagram_words_(datagram.bytes.data(), datagram.bytes.size())});
    }
  }
  director_->record(execution_);
  for (ThreadId id = 0; id < thread_limit_; ++id) {
    const State state = threads_[index(id)]->state;
    if (id != execution_.failed_thread && (state == State::kAtPoint || state == State::kWaiting)) {
      execution_.threads[index(id)].waits_for = waits_for(id);
    }
  }
}

}  // namespace overbite::ordering
