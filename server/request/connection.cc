#include "server/request/connection.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "server/base/check.h"
#include "server/base/limits.h"
#include "server/base/log.h"
#include "server/http/head_writer.h"
#include "server/request/hub.h"

namespace overbite::request {

namespace {

constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

std::shared_ptr<const Endpoints> endpoints_of(int fd) {
  auto ends = std::make_shared<Endpoints>();
  const auto peer = net::SocketAddress::peer(fd);
  const auto local = net::SocketAddress::local(fd);
  ends->client_host = peer.host;
  ends->client_port = peer.port;
  ends->server_host = local.host;
  ends->server_port = local.port;
  return ends;
}

}  // namespace

Connection::Connection(Hub& hub, base::UniqueFd fd)
    : hub_(hub),
      endpoints_(endpoints_of(fd.get())),
      transport_(hub.loop(), std::move(fd), *this),
      parser_(hub.rules().quirks, *this),
      idle_(hub.loop().timers(), [this] { transport_.close(); }),
      silence_(hub.loop().timers(), [this] { transport_.abort(); }) {}

Connection::~Connection() { CHECK(closed_); }

// --- input ---------------------------------------------------------------------------------------

void Connection::on_data(std::string_view bytes) {
  idle_.cancel();
  if (malformed_) {
    return;
  }
  if (!parser_.feed(bytes)) {
    malformed();
  }
  advance();
}

void Connection::on_head(std::unique_ptr<http::RequestHead> head) {
  Exchange& exchange = exchanges_.emplace_back();
  exchange.request = std::make_unique<Request>();
  exchange.request->head = std::move(head);
  exchange.request->endpoints = endpoints_;
  exchange.request->date = hub_.date();
  receiving_ = &exchange;
}

void Connection::on_body(std::string_view piece) {
  if (receiving_ == nullptr) {
    return;
  }
  Exchange& exchange = *receiving_;
  if (!exchange.submitted) {
    exchange.request->body.append(piece);
    if (hub_.port().wants_whole_body() &&
        exchange.request->body.size() > limits::kWsgiBodyBytesMax) {
      exchange.too_large = true;
      exchange.request->body.clear();
      receiving_ = nullptr;
    }
    return;
  }
  if (!exchange.unsent) {
    exchange.unsent = std::make_unique<BodyPiece>();
  }
  exchange.unsent->bytes.append(piece);
  unread_bytes_ += piece.size();
}

void Connection::on_complete() {
  if (receiving_ == nullptr) {
    return;
  }
  Exchange& exchange = *receiving_;
  receiving_ = nullptr;
  exchange.body_complete = true;
  if (!exchange.submitted) {
    exchange.request->body_complete = true;
    return;
  }
  if (!exchange.unsent) {
    exchange.unsent = std::make_unique<BodyPiece>();
  }
  exchange.unsent->last = true;
}

// Whether more input could be passed on, or has to be kept.
bool Connection::wants_input() {
  if (!has_front()) {
    return true;
  }
  if (exchanges_.size() > 1 || front().unsent) {
    return false;
  }
  if (front().submitted) {
    return unread_bytes_ <= limits::kBodyHighWaterBytes;
  }
  if (hub_.port().wants_whole_body()) {
    return true;  // up to kWsgiBodyBytesMax
  }
  return front().request->body.size() <=
         limits::kBodyHighWaterBytes;  // guard: waiting-body-unbounded
}

// Called whenever an answer to wants_input() may have changed.
void Connection::pace_reading() {
  if (wants_input()) {
    transport_.resume_reading();  // guard: reading-not-resumed
  } else {
    transport_.pause_reading();
  }
}

void Connection::on_body_taken() {
  unread_bytes_ -= std::min(unread_bytes_, limits::kBodyCreditQuantumBytes);
  pace_reading();
}

void Connection::on_end_of_input() {
  input_ended_ = true;
  idle_.cancel();
  if (hub_.rules().quirks.drop_half_closed) {
    drop_exchanges();
    transport_.close();
    return;
  }
  if (receiving_ != nullptr) {
    CHECK(receiving_ == &front());  // behind another nothing is read, not even the end
    drop_exchanges();               // it will never be complete
  } else if (has_front() && front().submitted) {
    hub_.port().half_close(front().slot);
  }
  advance();
}

// Heeded by the application behind its request's body only, so it may come too early.
void Connection::on_end_ahead() {
  end_ahead_ = !hub_.rules().quirks.drop_half_closed;  // the reference does not see it
  if (end_ahead_ && has_front() && front().submitted) {
    hub_.port().half_close(front().slot);
  }
}

void Connection::malformed() {
  malformed_ = true;
  base::log(base::Level::kWarning,
            fmt::format("Invalid HTTP request received: {}.", parser_.error()));
  if (hub_.rules().quirks.eager_400) {
    answer_malformed();
  } else if (receiving_ != nullptr && receiving_ == &front()) {
    if (front().streaming) {
      end();  // a second head in the middle of a body would be worse than silence
    } else {
      answer_malformed();
    }
  } else if (receiving_ != nullptr) {
    exchanges_.pop_back();
    receiving_ = nullptr;
  }
}

void Connection::answer_malformed() {
  answer_and_close(http::bad_request(http::default_fields(hub_.date())));
}

void Connection::answer_and_close(const std::string& bytes) {
  drop_exchanges();
  transport_.write(bytes);
  end();
}

// --- towards the executor ------------------------------------------------------------------------

void Connection::advance() {
  if (closed_ || transport_.closing()) {
    return;
  }
  if (has_front()) {
    if (front().submitted) {
      send_body();
    } else {
      submit_front();
    }
  } else if (malformed_) {
    answer_malformed();
  } else if (input_ended_ || draining_) {
    transport_.close();
  }
  pace_reading();
}

// Whether the front request still waits for its body, which this executor takes whole.
bool Connection::body_is_due() {
  Exchange& exchange = front();
  if (!hub_.port().wants_whole_body() || exchange.body_complete) {
    return false;
  }
  const http::RequestHead& head = *exchange.request->head;
  if (head.expect_continue && !exchange.continue_sent &&
      (!head.is_1_0() || hub_.rules().quirks.continue_to_1_0)) {
    exchange.continue_sent = true;
    transport_.write(std::string(kContinue));
  }
  return true;
}

void Connection::submit_front() {
  Exchange& exchange = front();
  const bool client_reads = transport_.unwritten() <= limits::kWriteHighWaterBytes;
  if (!client_reads) {  // guard: pipeline-outruns-reader
    return;             // on_written() comes back
  }
  if (exchange.too_large) {
    answer_and_close(http::content_too_large(http::default_fields(hub_.date())));
    return;
  }
  if (body_is_due()) {
    return;
  }
  if (exchange.slot.generation == 0) {
    exchange.slot = hub_.acquire_slot(*this);
    if (exchange.slot.generation == 0) {
      return;
    }
  }
  const std::size_t body_bytes = exchange.request->body.size();
  exchange.request->draining = draining_;
  if (!hub_.port().submit(exchange.slot, exchange.request)) {
    hub_.retry_later(*this);
    return;
  }
  exchange.submitted = true;
  unread_bytes_ = body_bytes;
  if (input_ended_ || end_ahead_) {
    hub_.port().half_close(exchange.slot);
  }
}

void Connection::send_body() {
  Exchange& exchange = front();
  if (exchange.unsent && !hub_.port().send_body(exchange.slot, exchange.unsent)) {
    hub_.retry_later(*this);
  }
}

// --- from the executor ---------------------------------------------------------------------------

void Connection::on_interim(std::string bytes) { transport_.write(std::move(bytes)); }

// The executor has said its final word: the slot is no longer this connection's.
void Connection::slot_is_finished() {
  answered_by_ = front().slot;
  front().submitted = false;
  front().slot = {};
}

void Connection::on_late_error() { end(); }

void Connection::on_done(Reply* reply) {
  slot_is_finished();
  if (reply != nullptr) {
    transport_.write(std::move(reply->bytes));
  }
  finish_front(reply == nullptr || reply->close);
}

void Connection::on_begin(Reply& reply) {
  front().streaming = true;
  front().answer_closes = reply.close;
  earlier_bytes_ = transport_.unwritten() + reply.bytes.size();
  silence_.arm_after(limits::kStreamSilenceMs);
  transport_.write(std::move(reply.bytes));
}

void Connection::on_frame(std::string bytes, bool last) {
  const bool closes = front().answer_closes;
  if (last) {
    slot_is_finished();
  } else {
    silence_.arm_after(limits::kStreamSilenceMs);
  }
  transport_.write(std::move(bytes));
  if (last) {
    finish_front(closes);
  }
}

void Connection::on_abort() {
  slot_is_finished();
  finish_front(true);
}

void Connection::on_heartbeat() {
  if (has_front() && front().streaming) {
    silence_.arm_after(limits::kStreamSilenceMs);
  }
}

void Connection::finish_front(bool close) {
  if (closed_ || exchanges_.empty()) {
    return;  // the write before it failed, and everything is over
  }
  if (receiving_ == &front()) {
    receiving_ = nullptr;  // answered early: the rest of the body is discarded
  }
  exchanges_.pop_front();
  silence_.cancel();
  unread_bytes_ = 0;
  if (close || draining_) {
    end();
    return;
  }
  advance();
  if (!closed_ && exchanges_.empty() && !transport_.closing()) {
    idle_.arm_after(hub_.times().keep_alive_ms);
  }
}

void Connection::on_written(std::size_t bytes) {
  const bool front_waits = has_front() && front().request != nullptr;
  if (front_waits && transport_.unwritten() <= limits::kWriteLowWaterBytes) {
    advance();
    return;
  }
  if (!has_front() || !front().streaming || !front().submitted) {
    return;
  }
  const std::size_t before = std::min(bytes, earlier_bytes_);
  earlier_bytes_ -= before;
  if (bytes > before) {
    hub_.port().grant(front().slot, bytes - before);
  }
}

// --- the end -------------------------------------------------------------------------------------

void Connection::drop_exchanges() {
  for (Exchange& exchange : exchanges_) {
    if (exchange.submitted) {
      hub_.port().disconnect(exchange.slot);
      hub_.orphan_slot(exchange.slot);
    } else if (exchange.slot.generation != 0) {
      hub_.release_slot(exchange.slot);
    }
  }
  exchanges_.clear();
  receiving_ = nullptr;
}

// Behind what has been written, and with nothing more to say to a client that may still be sending.
void Connection::end() {
  drop_exchanges();
  transport_.close(malformed_ || parser_.in_message());  // guard: sender-reset
}

void Connection::drain() {
  draining_ = true;
  if (exchanges_.empty()) {
    transport_.read_now();  // guard: arrived-request-dropped
    advance();
  }
}

void Connection::cut_off() { transport_.abort(); }

void Connection::on_closed() {
  closed_ = true;
  idle_.cancel();
  silence_.cancel();
  drop_exchanges();
  hub_.bury(*this);
}

}  // namespace overbite::request
