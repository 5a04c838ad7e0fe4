#include "server/request/hub.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "server/base/check.h"
#include "server/base/clock.h"
#include "server/base/limits.h"
#include "server/http/date.h"

namespace overbite::request {

namespace {

constexpr std::int64_t kRetryMs = 1;

}  // namespace

Hub::Hub(net::EventLoop& loop, ExecutorPort& port, const ResponseRules& rules, Times times)
    : loop_(loop),
      port_(port),
      rules_(rules),
      times_(times),
      slots_(limits::kSlotsMax),
      stop_fd_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      notice_(loop.timers(), [this] { port_.end_streams(); }),
      grace_(loop.timers(), [this] { cut_off(); }),
      retry_soon_(loop.timers(), [] {}) {
  CHECK(stop_fd_.valid());
  loop_.add(stop_fd_.get(), EPOLLIN, *this);
}

Hub::~Hub() { loop_.remove(stop_fd_.get()); }

void Hub::listen(net::BoundSocket socket) {
  listener_ = std::make_unique<net::Listener>(
      loop_, std::move(socket), [this](base::UniqueFd fd) { accept(std::move(fd)); });
}

void Hub::accept(base::UniqueFd fd) {
  connections_.insert(new Connection(*this, std::move(fd)));  // bury() deletes it
}

void Hub::run() {
  while (!stopping_ || !connections_.empty() || (slots_.in_use() > 0 && !cut_)) {
    run_pass();
  }
  port_.loop_finished();
}

void Hub::run_pass() {
  loop_.run_once(port_.may_sleep());
  port_.woke();
  port_.run(*this);
  retry();
  for (Connection* const connection : std::exchange(buried_, {})) {
    delete connection;
  }
}

void Hub::request_stop() {
  stop_requests_.fetch_add(1);
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(stop_fd_.get(), &one, sizeof one);
}

void Hub::on_events(std::uint32_t) {
  std::uint64_t count = 0;
  [[maybe_unused]] const auto taken = ::read(stop_fd_.get(), &count, sizeof count);
  if (!stopping_) {
    begin_stop();
  }
  if (stop_requests_.load() > 1) {
    cut_off();
  }
}

void Hub::begin_stop() {
  stopping_ = true;
  listener_->accept_waiting();  // guard: backlog-reset
  listener_->close();
  port_.announce_stop();
  notice_.arm_after(times_.grace_ms / 2);
  grace_.arm_after(times_.grace_ms);
  for (Connection* const connection :
       std::vector<Connection*>(connections_.begin(), connections_.end())) {
    connection->drain();
  }
}

void Hub::cut_off() {
  cut_ = true;
  for (Connection* const connection :
       std::vector<Connection*>(connections_.begin(), connections_.end())) {
    connection->cut_off();
  }
}

const std::string& Hub::date() {
  const std::time_t now = base::wall_seconds();
  if (now != date_seconds_) {
    date_seconds_ = now;
    date_ = http::imf_fixdate(now);
  }
  return date_;
}

base::SlotRef Hub::acquire_slot(Connection& connection) {
  if (slots_.full()) {
    if (std::find(waiting_.begin(), waiting_.end(), &connection) == waiting_.end()) {
      waiting_.push_back(&connection);
    }
    return {};
  }
  return slots_.acquire(&connection);
}

void Hub::release_slot(base::SlotRef slot) {
  slots_.release(slot);  // retry() gives it to whoever waits
}

void Hub::orphan_slot(base::SlotRef slot) { slots_.orphan(slot); }

void Hub::retry_later(Connection& connection) {
  if (std::find(retries_.begin(), retries_.end(), &connection) == retries_.end()) {
    retries_.push_back(&connection);
  }
  retry_soon_.arm_after(kRetryMs);
}

void Hub::retry() {
  for (Connection* const connection : std::exchange(retries_, {})) {
    connection->advance();
  }
  // By what is free, not by what was released: whoever was next in turn may be gone, or may need no
  // slot any more.
  while (!slots_.full() && !waiting_.empty()) {  // guard: free-slot-forgotten
    Connection* const connection = waiting_.front();
    waiting_.pop_front();
    connection->advance();
  }
}

void Hub::bury(Connection& connection) {
  connections_.erase(&connection);
  std::erase(waiting_, &connection);
  std::erase(retries_, &connection);
  buried_.push_back(&connection);
}

// The slot may be somebody else's by now: only the connection remembers that it was answered by it.
void Hub::close_answered(base::SlotRef slot) {
  for (Connection* const connection : connections_) {
    if (connection->answered_by() == slot) {
      connection->on_late_error();
      return;
    }
  }
}

void Hub::on_completion(handoff::Completion completion) {
  Connection* const connection = slots_.owner(completion.slot);
  auto* const reply = static_cast<Reply*>(completion.payload.get());
  if (completion.kind == handoff::CompletionKind::kDone) {
    release_slot(completion.slot);
  }
  if (connection == nullptr) {
    return;  // the client is gone
  }
  switch (completion.kind) {
    case handoff::CompletionKind::kInterim:
      connection->on_interim(std::move(reply->bytes));
      break;
    case handoff::CompletionKind::kDone:
      connection->on_done(reply);
      break;
    case handoff::CompletionKind::kBegin:
      connection->on_begin(*reply);
      break;
  }
}

void Hub::on_frame(handoff::Frame frame) {
  Connection* const connection = slots_.owner(frame.slot);
  if (frame.last) {
    release_slot(frame.slot);
  }
  if (connection != nullptr) {
    connection->on_frame(std::move(frame.bytes), frame.last);
  }
}

void Hub::on_message(const handoff::Message& message) {
  Connection* const connection = slots_.owner(message.slot);
  if (message.kind == handoff::MessageKind::kAbort) {
    release_slot(message.slot);
  }
  if (message.kind == handoff::MessageKind::kLateError) {
    close_answered(message.slot);
    return;
  }
  if (connection == nullptr) {
    return;
  }
  switch (message.kind) {
    case handoff::MessageKind::kAbort:
      connection->on_abort();
      break;
    case handoff::MessageKind::kHeartbeat:
      connection->on_heartbeat();
      break;
    case handoff::MessageKind::kReadMore:
      connection->on_body_taken();
      break;
    case handoff::MessageKind::kLateError:
    case handoff::MessageKind::kDisconnect:
    case handoff::MessageKind::kHalfClose:
    case handoff::MessageKind::kCredit:
    case handoff::MessageKind::kStop:
    case handoff::MessageKind::kEndStreams:
    case handoff::MessageKind::kFinished:
      CHECK(false && "a message for the executor came back");
  }
}

}  // namespace overbite::request
