// Runs one execution of a body on fibers, asking a director at every scheduling point.
//
// Everything here is called on one OS thread: run() by the explorer, the rest by the hooks that
// stand in for __tsan_*, pthread_* and the descriptor calls, on the fiber that makes the call.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ordering/runtime/arena.h"
#include "ordering/runtime/director.h"
#include "ordering/runtime/fiber.h"
#include "ordering/runtime/objects.h"
#include "ordering/runtime/operation.h"
#include "ordering/runtime/private_memory.h"
#include "ordering/runtime/race_detector.h"
#include "ordering/runtime/spin.h"

namespace overbite::ordering {

// Where an order is written in the program.
struct Site {
  const void* pc = nullptr;  // behind the call
  OpKind kind = OpKind::kLoad;
  std::uint8_t order = kRelaxed;
};

class Machine final {
 public:
  Machine();
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  // Visible operations of one execution; beyond it End::kStepCap.
  static constexpr std::size_t kStepsMaxDefault = 20000;

  // Before the first execution of an exploration: objects are numbered anew.
  void begin_exploration(std::size_t steps_max = kStepsMaxDefault) {
    objects_.forget_all();
    spins_.forget_all();
    steps_max_ = steps_max;
  }
  // Runs `body` from scratch. The result is valid until the next run.
  const Execution& run(const std::function<void()>& body, Director& director);

  // Null unless the calling code is model code, that is, neither the harness nor a hook.
  static Machine* current() { return in_model_ ? running_machine_ : nullptr; }
  // As current(), and the harness from now on.
  static Machine* enter() {
    if (!in_model_) {
      return nullptr;
    }
    in_model_ = false;
    return running_machine_;
  }
  // The machine whose running thread has used up its stack, if that is what touched `address`.
  static Machine* overflowed(const void* address) {
    Machine* const machine = running_machine_;
    if (machine == nullptr || machine->running_ < 0 ||
        !machine->stacks_.is_guard(machine->running_, address)) {
      return nullptr;
    }
    in_model_ = false;
    return machine;
  }
  // Goes up with each operation. For a signal handler.
  static std::uint64_t pulse() {
    return running_machine_ == nullptr ? 0 : runs_ + running_machine_->execution_.steps;
  }
  static void leave(Machine* entered) { in_model_ = in_model_ || entered != nullptr; }

  // --- for the director --------------------------------------------------------------------
  enum class State : std::uint8_t {
    kNone,     // not started in this execution
    kNew,      // has not run yet
    kAtPoint,  // suspended before an operation
    kWaiting,  // suspended in a wait
    kEnded,
    kGivenUp,  // by assume()
  };
  State state(ThreadId thread) const { return threads_[index(thread)]->state; }
  // Of a thread kAtPoint.
  const Operation& operation(ThreadId thread) const { return threads_[index(thread)]->op; }
  std::int64_t deadline_ns(ThreadId thread) const { return threads_[index(thread)]->deadline_ns; }
  bool assumed() const { return assumed_; }
  ThreadId thread_limit() const { return thread_limit_; }
  // The lowest number that no thread of this execution has had; `limit` if all below it have.
  ThreadId first_free_thread(ThreadId limit) const {
    ThreadId thread = 1;
    while (thread < limit && state(thread) != State::kNone) {
      ++thread;
    }
    return thread;
  }
  const Objects& objects() const { return objects_; }
  std::string waits_for(ThreadId thread) const;
  std::string name_of(ThreadId thread) const;

  // --- for the hooks -----------------------------------------------------------------------
  // Returns when the operation is done.
  Result perform(const Operation& op);
  // The same for an operation that was decided in an earlier execution; false: perform() it.
  bool repeat(OpKind kind, const void* address, Result& result) {
    if (!director_->repeat(running_, kind, address, result)) {
      return false;
    }
    ++execution_.steps;
    come_back();
    return true;
  }
  // After `reads` reads whose answers are not wanted yet: true: look again; false: timed out.
  bool wait_for_change(int reads, std::int64_t deadline_ns);
  int done() const { return director_->done(running_); }
  Objects& objects() { return objects_; }
  Arena& arena() { return arena_; }
  ThreadId thread() const { return running_; }
  std::int64_t now_ns() const { return director_->now_ns(running_); }

  // Before the running thread looks at an atomic and after it did anything else: see spin.h.
  void look(const void* address, const void* pc);
  void did_more_than_look() {
    current_->looks.clear();
    current_->counted.clear();
  }
  CountedSpin& counted_spin() { return current_->counted; }

  // Datagrams by their place in a queue; the bytes are this execution's.
  void put_datagram(ObjectId queue, std::uint32_t number, const void* bytes, std::size_t size);
  const std::vector<char>& datagram(ObjectId queue, std::uint32_t number) const;
  // How a datagram reads; must not touch the model. Null: by number.
  using DatagramWords = std::string (*)(const void* bytes, std::size_t size);
  void name_datagrams(DatagramWords words) { datagram_words_ = words; }

  // Ends the execution here; does not return.
  [[noreturn]] void fail(FailureKind kind, std::string message);
  [[noreturn]] void stop_unmodelled(const std::string& call);
  // The calling thread never goes on; the others do, and the execution counts as assumed away.
  [[noreturn]] void assume_failed();
  // The calling thread ends; what at_thread_exit() was told runs first, the last of it first.
  [[noreturn]] void end_thread(void* result);
  void at_thread_exit(void (*function)(void* argument), void* argument) {
    current_->exits.push_back({function, argument});
  }

  // What a thread runs; it returns what a join of it gets.
  struct Entry {
    void* (*function)(void* argument) = nullptr;
    void* argument = nullptr;
  };
  ThreadId spawn(Entry entry, const void* pc);
  // Of a thread that has ended.
  void* result_of(ThreadId thread) const { return threads_[index(thread)]->result; }
  // The order an operation really has: what is written, or what weaken() says.
  std::uint8_t order_at(const void* pc, OpKind kind, std::uint8_t written) {
    if (collects_sites_) {
      collect({pc, kind, written});
    }
    return pc == weakened_pc_ ? weakened_order_ : written;
  }
  // Operations called at `pc` are done with this order; null: all as they are written.
  void weaken(const void* pc, std::uint8_t order) {
    weakened_pc_ = pc;
    weakened_order_ = order;
  }
  void collect_sites(bool on) { collects_sites_ = on; }
  const std::vector<Site>& sites() const { return sites_; }
  void join(ThreadId thread, const void* pc);
  // Of the running thread: the locks it has that libc's own fields do not tell of, each as often as
  // it has it.
  std::vector<const void*>& held() { return current_->held; }
  struct Key {
    unsigned number;
    void (*destructor)(void*);
  };
  std::vector<Key>& keys() { return keys_; }
  std::vector<std::pair<unsigned, void*>>& key_values() { return current_->key_values; }
  void name_thread(std::string name);

  // Stops the run if the bytes of the atomic `object` belong to another atomic of this execution.
  void check_size(ObjectId object, const void* address, std::size_t size);
  // An operation on an atomic that was not there before: does it race with a plain access?
  void check_atomic(const MemoryAccess& access);
  // Plain accesses, for the race detector.
  void access(const MemoryAccess& access) {
    if (!is_unseen(access)) {
      check_access(access);
    }
  }
  // The same, from model code.
  static void access_from_model(const MemoryAccess& access) {
    Machine* const machine = current();
    if (machine == nullptr) {
      return;
    }
    if (access.write && !machine->is_on_own_stack(access.address)) {
      machine->did_more_than_look();
    }
    if (!machine->is_unseen(access)) {
      const Entered entered;
      machine->check_access(access);
    }
  }
  // Memory from the arena. `pc`: of who asks.
  void* allocate(std::size_t bytes, std::size_t alignment, const void* pc);
  void release(void* memory, const void* pc);
  // Whether what nobody freed in the end is a failure.
  void report_leaks(bool on) { leaks_ = on; }
  // How often a wait of each thread may end for no reason: a choice.
  void set_spurious(int most) { spurious_ = most; }
  // How often each thread may be given again what it freed: a choice.
  void set_reuses(int most) { reuses_ = most; }
  // Whether the wait that the running thread is about to begin does.
  bool wakes_for_nothing();

  // Calls of functions, from model code.
  static void function_entry() {
    if (in_model_) {
      Thread& thread = *running_machine_->current_;
      if (++thread.depth < kDepthMax) {
        thread.frames[thread.depth] = ++running_machine_->frames_;
      }
    }
  }
  static void function_exit() {
    if (in_model_ && running_machine_->current_->depth > 0) {
      --running_machine_->current_->depth;
    }
  }

 private:
  static constexpr std::size_t kDepthMax = 64;
  struct ThreadExit {
    void (*function)(void* argument);
    void* argument;
  };
  struct Thread {
    explicit Thread(std::byte* stack) : fiber(stack, Stacks::kStackBytes) {}
    Fiber fiber;
    Entry entry;
    void* result = nullptr;
    std::string name;
    State state = State::kNone;
    Operation op;
    std::int64_t deadline_ns = -1;
    SpinDetector::Looks looks;
    std::vector<ThreadExit> exits;
    CountedSpin counted;
    std::vector<const void*> held;
    int spurious = 0;  // wake-ups it has had
    int reuses = 0;
    std::vector<std::pair<unsigned, void*>> key_values;
    std::size_t depth = 0;
    std::array<std::uint32_t, kDepthMax> frames{};  // deeper ones have no number
  };
  struct Entered {
    Entered() { in_model_ = false; }
    ~Entered() { in_model_ = true; }
  };
  struct Datagram {
    ObjectId queue;
    std::uint32_t number;
    std::vector<char> bytes;
  };

  bool is_on_own_stack(const void* address) const {
    return static_cast<std::size_t>(static_cast<const std::byte*>(address) -
                                    stacks_.stack(running_)) < Stacks::kStackBytes;
  }
  // The race detector need not see it.
  bool is_unseen(const MemoryAccess& access) const {
    if (!arena_.is_whole(access.address, access.size)) {
      return false;
    }
    return stack_use_.is_private(running_, access.address, access.size) ||
           arena_use_.is_private(running_, access.address, access.size) ||
           races_.is_repeated(running_, position_, access);
  }
  static std::size_t index(ThreadId thread) { return static_cast<std::size_t>(thread); }
  static void thread_main(void* thread);
  void reset();
  void run_once(const std::function<void()>& body, Director& director);
  void add_thread(ThreadId id, Entry entry);
  void check_access(const MemoryAccess& access);
  void share(const MemoryAccess& access);
  [[noreturn]] void fail_memory(const MemoryAccess& access);
  void check_leaks();
  bool takes_either();  // a choice
  std::string note_sites(std::vector<MemorySite> sites);
  [[noreturn]] void fail_race(const MemoryAccess& access,
                              bool atomic,
                              const RaceDetector::Race& race,
                              bool other_atomic);
  void come_back();
  void suspend(State state);
  void collect(const Site& site);
  void describe_execution();

  Arena& arena_ = Arena::shared();
  const Stacks stacks_{kThreadsMax};
  PrivateMemory stack_use_{stacks_.base(), Stacks::kStackBytes};
  PrivateMemory arena_use_{arena_.base(), Arena::kRegionBytes};
  Objects objects_;
  RaceDetector races_;
  SpinDetector spins_;
  Execution execution_;
  std::vector<Datagram> datagrams_;
  std::vector<Key> keys_;
  DatagramWords datagram_words_ = nullptr;
  Director* director_ = nullptr;
  std::array<std::unique_ptr<Thread>, kThreadsMax> threads_;
  ThreadId thread_limit_ = 0;  // above every thread there is
  ThreadId running_ = -1;
  Thread* current_ = nullptr;
  std::int16_t position_ = 0;            // of the next operation of the running thread
  const std::int16_t* clock_ = nullptr;  // of the running thread; see Director::clock()
  bool assumed_ = false;
  bool leaks_ = true;
  int spurious_ = 0;
  int reuses_ = 0;
  const void* weakened_pc_ = nullptr;
  std::uint8_t weakened_order_ = 0;
  bool collects_sites_ = false;
  std::vector<Site> sites_;
  std::size_t steps_max_ = kStepsMaxDefault;
  std::uint32_t frames_ = 0;

  static inline Machine* running_machine_ = nullptr;
  static inline std::uint64_t runs_ = 0;
  // True while a fiber runs model code; false in the harness and in hooks.
  static inline bool in_model_ = false;
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
