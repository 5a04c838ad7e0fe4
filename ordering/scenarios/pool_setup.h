// A blocking pool over scripted applications, and the loop's side of it.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "ordering/scenario.h"
#include "ordering/scenarios/lane_setup.h"
#include "server/executor/blocking_pool.h"
#include "server/handoff/drain.h"
#include "server/net/event_loop.h"
#include "server/python/interpreter.h"

namespace overbite::ordering {

// The loop thread is the one that makes it. The pool's threads end in the destructor.
struct Pool final : handoff::BatchHandler {
  // `pieces[i]`: what the application yields for slot i, four bytes each: as much as the credit.
  Pool(int threads, std::vector<std::size_t> pieces)
      : lane(kSmallLane), application{calls_of(pieces)}, pool(lane, application, threads) {
    name_lane(lane);
    name_thread("loop");
    finished.resize(pieces.size());
  }

  void submit(handoff::SlotRef slot) {
    auto request = std::make_unique<request::Request>();
    require(port.submit(slot, request), "the queue refused a job");
  }
  // One pass of the loop.
  void pass() {
    events.run_once(port.may_sleep());
    port.woke();
    port.run(*this);
  }
  void serve_until_finished(std::size_t slot) {
    while (finished[slot] == 0) {
      pass();
    }
  }

  // Nothing more will come: the threads end, and what they said is applied.
  void end() {
    port.loop_finished();
    require(pool.wait_ended(1000), "a thread of the pool never ends");
    port.run(*this);
  }

  void on_completion(handoff::Completion completion) override {
    if (completion.kind == handoff::CompletionKind::kDone) {
      finish(completion.slot);
    }
  }
  void on_frame(handoff::Frame frame) override {
    if (frame.last) {
      finish(frame.slot);
    } else {
      ++frames;
    }
  }
  void on_message(const handoff::Message& message) override { messages.push_back(message); }
  void finish(handoff::SlotRef slot) {
    require(++finished[slot.index] == 1, "a slot was finished twice");
  }

  static std::vector<executor::Call> calls_of(const std::vector<std::size_t>& pieces) {
    std::vector<executor::Call> calls;
    for (const std::size_t count : pieces) {
      calls.push_back({.pieces = count});
    }
    return calls;
  }

  python::Interpreter interpreter;
  handoff::Lane lane;
  executor::WsgiApplication application;
  executor::BlockingPool pool;
  net::EventLoop events;
  executor::PoolPort port{events, lane, pool};
  std::vector<int> finished;  // final words, by slot
  std::vector<handoff::Message> messages;
  int frames = 0;
};

}  // namespace overbite::ordering
