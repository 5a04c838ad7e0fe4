#include "server/executor/asgi_executor.h"

#include <algorithm>
#include <utility>

#include "server/base/check.h"
#include "server/base/limits.h"
#include "server/python/interpreter.h"

namespace overbite::executor {

using handoff::Job;
using handoff::JobKind;
using handoff::Message;
using handoff::MessageKind;
using python::Borrowed;
using python::Exchange;
using python::Owned;

namespace {

constexpr char kCapsule[] = "overbite.asgi_executor";

}  // namespace

AsgiExecutor::AsgiExecutor(handoff::Lane& lane,
                           const request::ResponseRules& rules,
                           const python::ScopeTemplate& scope,
                           Borrowed loop,
                           Borrowed application,
                           Borrowed state)
    : lane_(lane),
      rules_(rules),
      scope_(scope),
      loop_(loop),
      application_(application),
      state_(state),
      slots_(limits::kSlotsMax) {}

// A callback of the event loop. What goes wrong inside is ours: it is logged, the loop goes on.
template <AsgiExecutor::Method method>
PyObject* AsgiExecutor::callback(PyObject* self, PyObject*) {
  auto* const executor = static_cast<AsgiExecutor*>(PyCapsule_GetPointer(self, kCapsule));
  if (executor == nullptr) {
    return nullptr;
  }
  (executor->*method)();
  if (PyErr_Occurred() != nullptr) {
    python::log_exception("Exception in the executor");
  }
  Py_RETURN_NONE;
}

Owned AsgiExecutor::bind(PyMethodDef& definition) {
  return Owned::steal(PyCFunction_New(&definition, self_.get()));
}

bool AsgiExecutor::watch(int fd) {
  return static_cast<bool>(
      Owned::steal(PyObject_CallMethod(loop_.get(), "add_reader", "iO", fd, turn_method_.get())));
}

base::Result<> AsgiExecutor::run() {
  static PyMethodDef turn_def = {
      "turn", &AsgiExecutor::callback<&AsgiExecutor::turn>, METH_NOARGS, nullptr};
  static PyMethodDef flush_def = {
      "flush", &AsgiExecutor::callback<&AsgiExecutor::flush_due>, METH_NOARGS, nullptr};
  static PyMethodDef beat_def = {
      "beat", &AsgiExecutor::callback<&AsgiExecutor::beat>, METH_NOARGS, nullptr};
  self_ = Owned::steal(PyCapsule_New(this, kCapsule, nullptr));
  turn_method_ = bind(turn_def);
  flush_method_ = bind(flush_def);
  beat_method_ = bind(beat_def);
  call_soon_ = Owned::steal(PyObject_GetAttrString(loop_.get(), "call_soon"));
  create_task_ = Owned::steal(PyObject_GetAttrString(loop_.get(), "create_task"));
  create_future_ = Owned::steal(PyObject_GetAttrString(loop_.get(), "create_future"));
  const bool ready = turn_method_ && flush_method_ && beat_method_ && call_soon_ && create_task_ &&
                     create_future_ && watch(lane_.executor_waker().fd()) &&
                     watch(lane_.executor_channel().fd()) && beat_later();
  if (!ready) {
    return base::Error{"cannot start the ASGI executor: " + python::take_exception_line()};
  }
  lane_.executor_waker().signal();  // the first turn parks
  while (!finished_) {
    if (!Owned::steal(PyObject_CallMethod(loop_.get(), "run_forever", nullptr))) {
      return base::Error{"the event loop stopped: " + python::take_exception_line()};
    }
  }
  return base::Ok{};
}

// --- from the lane -------------------------------------------------------------------------------

void AsgiExecutor::turn() {
  lane_.executor_woke();
  int taken = 0;
  do {
    take_messages();
    Job job;
    while (taken < limits::kJobsPerTurnMax && lane_.submissions().try_pop(job)) {
      ++taken;
      if (job.kind == JobKind::kStart) {
        start(std::move(job));
      } else {
        feed(std::move(job));
      }
    }
    if (taken >= limits::kJobsPerTurnMax) {
      lane_.executor_waker().signal();  // the other callbacks first, then another turn
      return;
    }
  } while (!lane_.executor_may_sleep());
}

void AsgiExecutor::take_messages() {
  lane_.executor_channel().receive_all(messages_);
  for (const Message& message : messages_) {
    take_message(message);
  }
  messages_.clear();
}

Exchange* AsgiExecutor::running(base::SlotRef slot) {
  Exchange* const exchange = slots_[slot.index];
  return exchange != nullptr && exchange->slot() == slot ? exchange : nullptr;
}

void AsgiExecutor::take_message(const Message& message) {
  Exchange* const exchange = running(message.slot);
  switch (message.kind) {
    case MessageKind::kDisconnect:
      lane_.tags().tag(message.slot);
      if (exchange != nullptr) {
        exchange->on_disconnect();
      }
      break;
    case MessageKind::kHalfClose:
      lane_.half_closed().tag(message.slot);
      if (exchange != nullptr) {
        exchange->on_half_close();
      }
      break;
    case MessageKind::kCredit:
      if (exchange != nullptr) {
        exchange->on_credit();
      }
      break;
    case MessageKind::kStop:
      stopping_ = true;
      break;
    case MessageKind::kEndStreams:
      for (auto& [running_exchange, live] : live_) {
        running_exchange->on_half_close();
      }
      break;
    case MessageKind::kFinished:
      finished_ = true;
      Owned::steal(PyObject_CallMethod(loop_.get(), "stop", nullptr));
      break;
    case MessageKind::kAbort:
    case MessageKind::kLateError:
    case MessageKind::kHeartbeat:
    case MessageKind::kReadMore:
      CHECK(false && "a message for the loop came back");
  }
}

void AsgiExecutor::start(Job job) {
  std::unique_ptr<request::Request> request(static_cast<request::Request*>(job.payload.release()));
  if (lane_.tags().is_tagged(job.slot)) {
    lane_.complete({handoff::CompletionKind::kDone, job.slot, nullptr});
    return;
  }
  Owned scope = scope_.build(*request, state_);
  auto owned = std::make_unique<Exchange>(*this, job.slot, std::move(request));
  Exchange* const exchange = owned.get();
  if (lane_.half_closed().is_tagged(job.slot)) {
    exchange->on_half_close();
  }
  const Owned cycle =
      scope ? python::new_cycle(std::move(owned), application_, std::move(scope)) : Owned();
  if (!cycle) {
    python::log_exception("Exception while starting a request");
    auto failure = std::make_unique<request::Reply>();
    failure->close = true;
    lane_.complete({handoff::CompletionKind::kDone, job.slot, std::move(failure)});
    return;
  }
  slots_[job.slot.index] = exchange;
  live_.emplace(exchange, Live{Owned::share(cycle.borrow()), Owned()});
  make_task(*exchange, cycle.borrow());
}

// A task factory may step the cycle at once (asyncio.eager_task_factory): the exchange is known by
// now, and may have ended when the task is there.
void AsgiExecutor::make_task(Exchange& exchange, Borrowed cycle) {
  Owned task = Owned::steal(PyObject_CallOneArg(create_task_.get(), cycle.get()));
  if (!task) {
    python::abandon(cycle);
  } else if (const auto found = live_.find(&exchange); found != live_.end()) {
    found->second.task = std::move(task);
  }
}

void AsgiExecutor::feed(Job job) {
  if (Exchange* const exchange = running(job.slot); exchange != nullptr) {
    exchange->on_body(static_cast<request::BodyPiece&>(*job.payload));
  }
}

// --- from the exchanges --------------------------------------------------------------------------

handoff::PushResult AsgiExecutor::push_frame(handoff::Frame& frame) {
  const auto result = lane_.chunks().try_push(frame);
  if (result == handoff::PushResult::kAccepted) {
    lane_.frame_pushed();
  }
  return result;
}

void AsgiExecutor::send_message(const Message& message) {
  while (!lane_.executor_channel().try_send(message)) {
    const python::Detached detached;
    lane_.executor_channel().wait_writable(100);
  }
}

Owned AsgiExecutor::new_future() { return Owned::steal(PyObject_CallNoArgs(create_future_.get())); }

void AsgiExecutor::flush_later(Exchange& exchange) {
  if (exchange.flush_is_due) {
    return;
  }
  exchange.flush_is_due = true;
  flushes_.push_back(&exchange);
  if (flushes_.size() == 1 &&
      !Owned::steal(PyObject_CallOneArg(call_soon_.get(), flush_method_.get()))) {
    python::log_exception("Exception while scheduling a flush");
  }
}

void AsgiExecutor::flush_due() {
  for (Exchange* const exchange : std::exchange(flushes_, {})) {
    exchange->flush_is_due = false;
    exchange->flush();
  }
}

void AsgiExecutor::ended(Exchange& exchange) {
  Exchange*& owner = slots_[exchange.slot().index];
  if (owner == &exchange) {  // guard: owner-check-skipped
    owner = nullptr;
  }
  std::erase(flushes_, &exchange);
  exchange.flush_is_due = false;
  const auto found = live_.find(&exchange);
  CHECK(found != live_.end());
  const Live keep = std::move(found->second);  // destroyed last: the exchange is inside
  live_.erase(found);
}

// --- heartbeat -----------------------------------------------------------------------------------

bool AsgiExecutor::beat_later() {
  return static_cast<bool>(
      Owned::steal(PyObject_CallMethod(loop_.get(),
                                       "call_later",
                                       "dO",
                                       static_cast<double>(limits::kHeartbeatMs) / 1000.0,
                                       beat_method_.get())));
}

void AsgiExecutor::beat() {
  for (auto& [exchange, live] : live_) {
    // A full channel: the next beat is soon enough.
    if (exchange->streaming() &&
        !lane_.executor_channel().try_send({MessageKind::kHeartbeat, exchange->slot()})) {
      break;
    }
  }
  if (!finished_) {
    beat_later();
  }
}

}  // namespace overbite::executor
