// Executions made by hand, event by event, for tests of what is printed.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ordering/report/source_lines.h"
#include "ordering/runtime/operation.h"

namespace overbite::ordering {

// Addresses that mean "line n of h.cc".
inline const void* code_of_line(std::uintptr_t line) { return reinterpret_cast<const void*>(line); }
inline SourceLine hand_made_line(const void* pc) {
  if (pc == nullptr) {
    return {};
  }
  return {"f", "src/h.cc", static_cast<int>(reinterpret_cast<std::uintptr_t>(pc))};
}

class HandMade {
 public:
  HandMade(const std::vector<std::string>& threads, std::vector<std::string> objects) {
    for (const std::string& name : threads) {
      execution.threads.push_back({name, {}});
    }
    execution.objects = std::move(objects);
    lengths_.resize(threads.size(), 0);
  }

  // Of the next event; otherwise its number.
  HandMade& at_line(std::uintptr_t line) {
    line_ = line;
    return *this;
  }
  // Each returns the event's index.
  int spawn(int thread) {
    Event& event = add(0, OpKind::kSpawn, kNoObject);
    event.choice = thread;
    return index();
  }
  int load(
      int thread, ObjectId object, std::uint64_t value, int source, std::uint8_t order = kSeqCst) {
    Event& event = add(thread, OpKind::kLoad, object);
    event.op.order = order;
    event.read.low = value;
    event.source = source;
    return index();
  }
  int store(int thread, ObjectId object, std::uint64_t value, std::uint8_t order = kSeqCst) {
    Event& event = add(thread, OpKind::kStore, object);
    event.op.order = order;
    event.written.low = value;
    event.writes = true;
    return index();
  }
  int lock(int thread, ObjectId object) {
    Event& event = add(thread, OpKind::kLock, object);
    event.written.low = static_cast<std::uint64_t>(thread) + 1;
    event.writes = true;
    ++lengths_[static_cast<std::size_t>(thread)];  // it is a read and a write
    return index();
  }
  Event& last() { return execution.events.back(); }
  void waits(int thread, std::string what) {
    execution.threads[static_cast<std::size_t>(thread)].waits_for = std::move(what);
  }
  void fail(FailureKind kind, std::string message) {
    execution.end = End::kFailed;
    execution.failure = {kind, std::move(message)};
  }

  Execution execution;

 private:
  int index() const { return static_cast<int>(execution.events.size()) - 1; }
  Event& add(int thread, OpKind kind, ObjectId object) {
    Event event;
    event.op.kind = kind;
    event.op.object = object;
    event.op.pc = kind == OpKind::kSpawn
                      ? nullptr
                      : code_of_line(line_ != 0 ? line_ : execution.events.size() + 1);
    event.thread = thread;
    event.position = static_cast<std::int16_t>(++lengths_[static_cast<std::size_t>(thread)]);
    line_ = 0;
    execution.events.push_back(event);
    return execution.events.back();
  }

  std::vector<int> lengths_;
  std::uintptr_t line_ = 0;
};

// A flag that was seen without the data in front of it; not failed yet.
inline HandMade flag_without_data() {
  HandMade run({"main", "producer", "consumer"}, {"data", "ready"});
  run.spawn(1);
  run.spawn(2);
  run.store(1, 0, 42, kRelaxed);
  const int flag = run.store(1, 1, 1, kRelaxed);
  run.load(2, 1, 1, flag, kRelaxed);
  run.load(2, 0, 0, -1, kRelaxed);
  run.last().skipped = 1;
  return run;
}

}  // namespace overbite::ordering
