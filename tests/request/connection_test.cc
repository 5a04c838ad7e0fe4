// Connections over real sockets, with an executor that does what each test says.
#include "server/request/connection.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "server/base/clock.h"
#include "server/base/limits.h"
#include "server/request/executor_port.h"
#include "server/request/hub.h"

namespace overbite::request {
namespace {

// Keeps what it is given. Answers only what a test tells it to.
struct FakePort : ExecutorPort {
  bool wants_whole_body() const override { return whole_body; }
  bool submit(base::SlotRef slot, std::unique_ptr<Request>& request) override {
    if (full) {
      return false;
    }
    slots.push_back(slot);
    targets.push_back(request->head->target);
    body += request->body;
    request.reset();
    return true;
  }
  bool send_body(base::SlotRef, std::unique_ptr<BodyPiece>& piece) override {
    if (full) {
      return false;
    }
    body += piece->bytes;
    body_ended = piece->last;
    piece.reset();
    return true;
  }
  void disconnect(base::SlotRef slot) override {
    batch.completions.push_back({handoff::CompletionKind::kDone, slot, nullptr});
  }
  void half_close(base::SlotRef slot) override { half_closed.push_back(slot); }
  void grant(base::SlotRef, std::size_t) override {}
  void announce_stop() override { closing = true; }
  void end_streams() override {}
  void loop_finished() override {}
  bool may_sleep() override { return false; }
  void woke() override {}
  void run(handoff::BatchHandler& handler) override { handoff::apply(batch, handler); }

  void answer(base::SlotRef slot, std::string bytes) {
    auto reply = std::make_unique<Reply>();
    reply->bytes = std::move(bytes);
    reply->close = closing;
    batch.completions.push_back({handoff::CompletionKind::kDone, slot, std::move(reply)});
  }
  // The application has taken all of the body that it was given.
  void take_body() {
    if (body.empty()) {
      return;
    }
    for (std::size_t i = 0; i <= body.size() / limits::kBodyCreditQuantumBytes; ++i) {
      batch.messages.push_back({handoff::MessageKind::kReadMore, slots.back()});
    }
    taken += std::exchange(body, {}).size();
  }

  bool whole_body = false;
  bool full = false;
  bool closing = false;  // answers end their connection
  bool body_ended = false;
  std::size_t taken = 0;
  std::string body;
  std::vector<base::SlotRef> slots;
  std::vector<base::SlotRef> half_closed;
  std::vector<std::string> targets;
  handoff::Batch batch;
};

// A client that never blocks.
class Peer {
 public:
  explicit Peer(int port) : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(fd_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }
  // As much of `bytes` as the kernel takes now.
  std::size_t send(std::string_view bytes) {
    const auto sent = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    return sent > 0 ? static_cast<std::size_t>(sent) : 0;
  }
  // What has come, and "EOF" or "RESET" behind the last of it.
  std::string read() {
    std::string all;
    char buffer[65536];
    while (true) {
      const auto got = ::recv(fd_.get(), buffer, sizeof buffer, MSG_DONTWAIT);
      if (got > 0) {
        all.append(buffer, static_cast<std::size_t>(got));
        continue;
      }
      return all + (got == 0 ? "EOF" : errno == ECONNRESET ? "RESET" : "");
    }
  }
  void shut() { ::shutdown(fd_.get(), SHUT_WR); }

 private:
  base::UniqueFd fd_;
};

struct ConnectionTest : testing::Test {
  ConnectionTest() {
    auto bound = net::BoundSocket::bind("127.0.0.1", 0);
    EXPECT_TRUE(bound.ok());
    tcp_port = bound.value().port;
    hub.listen(std::move(bound.value()));
  }
  ~ConnectionTest() override {
    hub.request_stop();
    hub.request_stop();
    hub.run();
  }
  // A while: loopback delivers at once, but timers of a few milliseconds have to pass.
  void passes() {
    const auto end = base::monotonic_ms() + 20;
    while (base::monotonic_ms() < end) {
      hub.run_pass();
    }
  }
  // How much of `bytes` the server takes before it rests.
  std::size_t push(Peer& peer, std::size_t bytes) {
    const std::string piece(1 << 20, 'x');
    std::size_t pushed = 0;
    for (int quiet = 0; quiet < 3 && pushed < bytes;) {
      const std::size_t sent =
          peer.send(std::string_view(piece).substr(0, std::min(piece.size(), bytes - pushed)));
      pushed += sent;
      quiet = sent == 0 ? quiet + 1 : 0;
      sent == 0 ? passes() : hub.run_pass();
    }
    return pushed;
  }

  net::EventLoop loop;
  FakePort port;
  const ResponseRules rules;
  Hub hub{loop, port, rules, {.grace_ms = 10'000}};
  int tcp_port = 0;
};

constexpr std::size_t kUploadBytes = 64u << 20;
const std::string kUpload = "POST /upload HTTP/1.1\r\nHost: t\r\nContent-Length: 67108864\r\n\r\n";
const std::string kGet = "GET /get HTTP/1.1\r\nHost: t\r\n\r\n";

TEST_F(ConnectionTest, AnUploadGoesOnAfterTheWayToTheExecutorWasFull) {
  Peer peer(tcp_port);
  peer.send(kUpload);
  passes();
  port.full = true;
  peer.send("first,");
  passes();
  port.full = false;
  passes();
  peer.send("second");
  passes();
  EXPECT_EQ(port.body, "first,second") << "nobody reads this connection any more";
}

TEST_F(ConnectionTest, TheBodyOfARequestThatWaitsIsNotReadWithoutLimit) {
  port.full = true;
  Peer peer(tcp_port);
  peer.send(kUpload);
  std::size_t pushed = push(peer, kUploadBytes);
  EXPECT_LT(pushed, kUploadBytes / 4) << "the server keeps what no application has asked for";
  port.full = false;
  const std::string piece(1 << 20, 'x');
  const auto end = base::monotonic_ms() + 3'000;
  while (port.taken < kUploadBytes && base::monotonic_ms() < end) {
    pushed += peer.send(std::string_view(piece).substr(0, kUploadBytes - pushed));
    hub.run_pass();
    port.take_body();
  }
  EXPECT_EQ(port.taken, kUploadBytes) << "nobody reads this connection any more";
  EXPECT_TRUE(port.body_ended);
}

TEST_F(ConnectionTest, AHalfRequestBehindARunningOneEndsTheConnectionAfterItsAnswer) {
  Peer peer(tcp_port);
  peer.send(kGet + kUpload + "half");
  peer.shut();
  passes();
  ASSERT_EQ(port.targets, std::vector<std::string>{"/get"});
  port.answer(port.slots[0], "answer");
  passes();
  EXPECT_EQ(peer.read(), "answerEOF");
}

TEST_F(ConnectionTest, AClientThatStillSendsGetsItsRefusalAndNoReset) {
  Peer peer(tcp_port);
  peer.send("GET / HTTP/1.1\r\nbad field\r\n");
  passes();
  for (int i = 0; i < 8; ++i) {
    EXPECT_GT(peer.send(std::string(10'000, 'x')), 0u) << "refused while it still sent";
    passes();
  }
  const std::string got = peer.read();
  EXPECT_EQ(got.substr(0, 12), "HTTP/1.1 400");
  EXPECT_EQ(got.substr(got.size() - 3), "EOF") << "the answer can be lost with a reset";
}

TEST_F(ConnectionTest, AnUploadThatIsTooLargeIsRefusedWithoutAReset) {
  port.whole_body = true;
  Peer peer(tcp_port);
  peer.send("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 99000000\r\n\r\n");
  EXPECT_EQ(push(peer, 99'000'000), 99'000'000u) << "refused while it still sent";
  const std::string got = peer.read();
  EXPECT_EQ(got.substr(0, 12), "HTTP/1.1 413");
  EXPECT_EQ(got.substr(got.size() - 3), "EOF") << "the answer can be lost with a reset";
  EXPECT_TRUE(port.targets.empty());
}

TEST_F(ConnectionTest, AnAnswerInFrontOfUnreadRequestsIsNotLostWithAReset) {
  Peer peer(tcp_port);
  peer.send(kGet);
  passes();
  port.closing = true;
  for (int i = 0; i < 3; ++i) {
    peer.send(kGet);
    passes();
  }
  port.answer(port.slots[0], "answer");
  passes();
  EXPECT_EQ(peer.read(), "answerEOF") << "the answer can be lost with a reset";
}

TEST_F(ConnectionTest, AClientThatNeverStopsSendingIsCutOff) {
  Peer peer(tcp_port);
  peer.send("GET / HTTP/1.1\r\nbad field\r\n");
  passes();
  EXPECT_EQ(hub.connections(), 1u);
  const auto end = base::monotonic_ms() + limits::kLingerMs + 500;
  while (hub.connections() > 0 && base::monotonic_ms() < end) {
    peer.send("x");
    hub.run_pass();
  }
  EXPECT_EQ(hub.connections(), 0u) << "it is read for ever";
}

TEST_F(ConnectionTest, AClientThatLeavesBehindPipelinedRequestsIsReportedAtOnce) {
  Peer peer(tcp_port);
  peer.send(kGet + kGet);
  passes();
  EXPECT_TRUE(port.half_closed.empty());
  peer.shut();
  passes();
  ASSERT_EQ(port.half_closed, port.slots) << "the application waits for a client that is gone";
  port.answer(port.slots[0], "one,");
  passes();
  ASSERT_EQ(port.slots.size(), 2u);
  EXPECT_EQ(port.half_closed.back(), port.slots[1]);
  port.answer(port.slots[1], "two");
  passes();
  EXPECT_EQ(peer.read(), "one,twoEOF");
}

TEST_F(ConnectionTest, ARequestThatHasArrivedWhenTheServerStopsIsAnswered) {
  Peer known(tcp_port);
  passes();
  hub.request_stop();
  known.send(kGet);
  Peer waiting(tcp_port);  // in the listen backlog
  waiting.send(kGet);
  passes();
  ASSERT_EQ(port.targets.size(), 2u) << "what the client had sent was thrown away";
  port.answer(port.slots[0], "answer");
  port.answer(port.slots[1], "answer");
  passes();
  EXPECT_EQ(known.read(), "answerEOF");
  EXPECT_EQ(waiting.read(), "answerEOF");
}

TEST_F(ConnectionTest, AnIdleConnectionClosesWhenTheServerStops) {
  Peer silent(tcp_port);
  Peer half(tcp_port);
  half.send("GET /");
  passes();
  hub.request_stop();
  passes();
  EXPECT_EQ(silent.read(), "EOF");
  EXPECT_EQ(half.read(), "EOF");
  EXPECT_EQ(hub.connections(), 0u);
}

}  // namespace
}  // namespace overbite::request
