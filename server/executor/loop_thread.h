// The native loop thread: it serves sockets and never touches Python.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <thread>

#include "server/net/event_loop.h"
#include "server/net/listener.h"
#include "server/request/executor_port.h"
#include "server/request/hub.h"
#include "server/request/response_state.h"

namespace overbite::executor {

using PortFactory = std::function<std::unique_ptr<request::ExecutorPort>(net::EventLoop&)>;

class LoopThread {
 public:
  // Starts serving at once. `rules` outlives the thread.
  LoopThread(net::BoundSocket socket,
             const request::ResponseRules& rules,
             request::Times times,
             const PortFactory& port);
  // join() was called.
  ~LoopThread();
  LoopThread(const LoopThread&) = delete;
  LoopThread& operator=(const LoopThread&) = delete;

  // Waits for the end: call it detached from the interpreter, after request_stop().
  void join();
  // Any thread, and a signal handler. A second call cuts off what is left.
  void request_stop() { hub_.request_stop(); }

 private:
  net::EventLoop loop_;
  std::unique_ptr<request::ExecutorPort> port_;
  request::Hub hub_;
  std::thread thread_;
};

}  // namespace overbite::executor
