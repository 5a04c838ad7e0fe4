#include "server/executor/loop_thread.h"

#include <utility>

#include "server/base/check.h"

namespace overbite::executor {

LoopThread::LoopThread(net::BoundSocket socket,
                       const request::ResponseRules& rules,
                       request::Times times,
                       const PortFactory& port)
    : port_(port(loop_)), hub_(loop_, *port_, rules, times) {
  hub_.listen(std::move(socket));
  thread_ = std::thread([this] { hub_.run(); });
}

LoopThread::~LoopThread() { CHECK(!thread_.joinable()); }

void LoopThread::join() { thread_.join(); }

}  // namespace overbite::executor
