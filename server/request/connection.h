// One client connection: requests parsed from it, run strictly one after another, answered in
// order.
//
// Loop thread only. A connection's exchanges: the front one is running (submitted, unless it still
// waits for a slot or for its body); the others are parsed and wait behind it.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "server/base/slot_ref.h"
#include "server/base/unique_fd.h"
#include "server/http/request_parser.h"
#include "server/net/transport.h"
#include "server/request/request.h"
#include "server/request/response_state.h"

namespace overbite::request {

class Hub;

class Connection final : public net::TransportOwner, public http::RequestSink {
 public:
  Connection(Hub& hub, base::UniqueFd fd);
  ~Connection() override;

  // --- from the executor, for the front exchange ---------------------------------------------
  void on_interim(std::string bytes);
  void on_done(Reply* reply);
  void on_begin(Reply& reply);
  void on_frame(std::string bytes, bool last);
  void on_abort();
  void on_heartbeat();
  void on_body_taken();
  // The application behind the last answer has failed (a quirk of the reference: it closes).
  void on_late_error();
  // The slot of the last answer that was complete.
  base::SlotRef answered_by() const { return answered_by_; }

  // --- from the hub ---------------------------------------------------------------------------
  // Submits what can be submitted; called after every change and when a slot or room has come free.
  void advance();
  // The server is stopping: idle connections close, one with a request after its response, even if
  // the request has only just arrived.
  void drain();
  // The grace period is over.
  void cut_off();
  bool closed() const { return closed_; }

  // --- net::TransportOwner --------------------------------------------------------------------
  void on_data(std::string_view bytes) override;
  void on_end_of_input() override;
  void on_end_ahead() override;
  void on_written(std::size_t bytes) override;
  void on_closed() override;

  // --- http::RequestSink ----------------------------------------------------------------------
  void on_head(std::unique_ptr<http::RequestHead> head) override;
  void on_body(std::string_view piece) override;
  void on_complete() override;

 private:
  struct Exchange {
    std::unique_ptr<Request> request;  // until submitted
    base::SlotRef slot;                // generation 0 until acquired
    bool submitted = false;
    bool streaming = false;
    bool body_complete = false;
    bool too_large = false;  // its body exceeds what the executor takes whole
    bool answer_closes = false;
    bool continue_sent = false;         // 100, by the loop itself (whole-body executors)
    std::unique_ptr<BodyPiece> unsent;  // body that came after submission
  };

  bool has_front() const { return !exchanges_.empty(); }
  Exchange& front() { return exchanges_.front(); }
  void submit_front();
  void slot_is_finished();
  bool body_is_due();
  void send_body();
  void finish_front(bool close);
  void malformed();
  void answer_malformed();
  void drop_exchanges();
  void end();
  void answer_and_close(const std::string& bytes);
  bool wants_input();
  void pace_reading();

  Hub& hub_;
  std::shared_ptr<const Endpoints> endpoints_;
  net::Transport transport_;
  http::RequestParser parser_;
  net::Timer idle_;     // no request open: the keep-alive bound
  net::Timer silence_;  // open stream without a sign of life
  std::deque<Exchange> exchanges_;
  Exchange* receiving_ = nullptr;  // whose body is being parsed; null: discarded
  base::SlotRef answered_by_;
  std::size_t unread_bytes_ = 0;   // body given to the front exchange and not reported as taken
  std::size_t earlier_bytes_ = 0;  // unwritten bytes from before the stream began
  bool malformed_ = false;         // the input makes no sense from here on
  bool end_ahead_ = false;         // the client sends no more, but not all of it has been read
  bool input_ended_ = false;
  bool draining_ = false;
  bool closed_ = false;
};

}  // namespace overbite::request
