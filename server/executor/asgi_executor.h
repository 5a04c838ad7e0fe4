// The ASGI executor of the pump: the thread that runs the asyncio loop. It takes jobs from the
// lane, makes a Task of each, and hands the responses back.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include "server/base/result.h"
#include "server/handoff/lane.h"
#include "server/python/cycle.h"
#include "server/python/refs.h"
#include "server/python/scope_template.h"
#include "server/request/response_state.h"

namespace overbite::executor {

// Executor thread, attached, always.
class AsgiExecutor final : public python::CycleHost {
 public:
  // `loop`: a new asyncio or uvloop event loop, kept. Everything else outlives the executor.
  AsgiExecutor(handoff::Lane& lane,
               const request::ResponseRules& rules,
               const python::ScopeTemplate& scope,
               python::Borrowed loop,
               python::Borrowed application,
               python::Borrowed state);

  // Watches the lane and runs the event loop until the loop thread has finished. The error is what
  // stopped the event loop instead.
  base::Result<> run();
  // No coroutine of a request is left.
  bool idle() const { return live_.empty(); }

  // --- python::CycleHost ----------------------------------------------------------------------
  const request::ResponseRules& rules() const override { return rules_; }
  void complete(handoff::Completion completion) override { lane_.complete(std::move(completion)); }
  void open_stream(base::SlotRef slot) override { lane_.chunks().open(slot); }
  handoff::PushResult push_frame(handoff::Frame& frame) override;
  void send_message(const handoff::Message& message) override;
  bool stopping() const override { return stopping_; }
  python::Owned new_future() override;
  void flush_later(python::Exchange& exchange) override;
  void ended(python::Exchange& exchange) override;

 private:
  using Method = void (AsgiExecutor::*)();
  template <Method method>
  static PyObject* callback(PyObject* self, PyObject*);
  python::Owned bind(PyMethodDef& definition);

  bool watch(int fd);
  void turn();  // the lane has something
  void take_messages();
  void take_message(const handoff::Message& message);
  void start(handoff::Job job);
  void make_task(python::Exchange& exchange, python::Borrowed cycle);
  void feed(handoff::Job job);
  void flush_due();
  void beat();
  bool beat_later();
  python::Exchange* running(base::SlotRef slot);

  handoff::Lane& lane_;
  const request::ResponseRules& rules_;
  const python::ScopeTemplate& scope_;
  python::Borrowed loop_;
  python::Borrowed application_;
  python::Borrowed state_;
  python::Owned self_;  // capsule
  python::Owned turn_method_;
  python::Owned flush_method_;
  python::Owned beat_method_;
  python::Owned call_soon_;
  python::Owned create_task_;
  python::Owned create_future_;

  struct Live {
    python::Owned cycle;
    python::Owned task;
  };
  // Every coroutine that has not ended; a Task is only weakly held by asyncio.
  std::unordered_map<python::Exchange*, Live> live_;
  // Whose a slot is now. An exchange whose response is complete may still run when its slot already
  // serves another request.
  std::vector<python::Exchange*> slots_;
  std::vector<python::Exchange*> flushes_;
  std::vector<handoff::Message> messages_;
  bool stopping_ = false;
  bool finished_ = false;
};

}  // namespace overbite::executor
