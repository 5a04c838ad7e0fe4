#include "server/request/hub.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "server/base/limits.h"

namespace overbite::request {
namespace {

// An executor that only notes what it is given. Its turn in each pass is the test's own.
struct NotingPort : ExecutorPort {
  bool wants_whole_body() const override { return false; }
  bool submit(base::SlotRef slot, std::unique_ptr<Request>& request) override {
    ++offered;
    if (full) {
      return false;
    }
    submitted.push_back(slot);
    request.reset();
    return true;
  }
  bool send_body(base::SlotRef, std::unique_ptr<BodyPiece>&) override { return true; }
  void disconnect(base::SlotRef) override {}
  void half_close(base::SlotRef) override {}
  void grant(base::SlotRef, std::size_t) override {}
  void announce_stop() override {}
  void end_streams() override {}
  void loop_finished() override {}
  bool may_sleep() override { return false; }
  void woke() override {}
  void run(handoff::BatchHandler& handler) override { turn(handler); }

  std::function<void(handoff::BatchHandler&)> turn;
  std::vector<base::SlotRef> submitted;
  bool full = false;
  int offered = 0;
};

class HubTest : public testing::Test {
 protected:
  HubTest() {
    // Both ends of some more connections than there are slots.
    rlimit files{};
    ::getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &files);
    auto socket = net::BoundSocket::bind("127.0.0.1", 0);
    port_number_ = socket.value().port;
    hub.listen(std::move(socket.value()));
  }

  // A connection that has sent a request.
  base::UniqueFd client() {
    base::UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port_number_));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    const std::string request = "GET / HTTP/1.1\r\nHost: t\r\n\r\n";
    EXPECT_EQ(::send(fd.get(), request.data(), request.size(), 0),
              static_cast<ssize_t>(request.size()));
    return fd;
  }
  static void reset(base::UniqueFd& fd) {
    const linger now{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(fd.get(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
    fd.reset();
  }

  // Runs the hub; `steps`, one after the other, each until it is true. False: one never was.
  bool play(std::vector<std::function<bool()>> steps) {
    constexpr int kPassesMax = 20000;
    std::size_t step = 0;
    int passes = 0;
    port.turn = [&](handoff::BatchHandler&) {
      if (step < steps.size() && steps[step]()) {
        ++step;
      }
      if (step == steps.size() || ++passes == kPassesMax) {
        hub.request_stop();
        hub.request_stop();
      }
    };
    hub.run();
    return step == steps.size();
  }

  net::EventLoop loop;
  NotingPort port;
  ResponseRules rules{};
  Hub hub{loop, port, rules, {.grace_ms = 1000}};
  int port_number_ = 0;
};

// The slot of a request that the executor had no room for comes free; the connection that is next
// in turn closes in the same pass; the one behind it must not wait for another slot.
TEST_F(HubTest, ASlotWhoseNextInTurnIsGoneGoesToTheOneBehind) {
  std::vector<base::UniqueFd> running;
  base::UniqueFd refused;
  base::UniqueFd next;
  base::UniqueFd behind;
  int passes = 0;
  const auto later = [&] { return ++passes % 50 == 0; };
  const bool served = play({
      [&] {
        if (running.size() < limits::kSlotsMax - 1) {
          running.push_back(client());
        }
        return port.submitted.size() == limits::kSlotsMax - 1;
      },
      [&] {
        port.full = true;
        port.offered = 0;
        refused = client();
        return true;
      },
      [&] { return port.offered > 0; },
      [&] { return static_cast<bool>((next = client()).valid()); },
      later,
      [&] { return static_cast<bool>((behind = client()).valid()); },
      later,
      [&] {
        reset(refused);
        reset(next);
        return true;
      },
      later,
      [&] {
        port.full = false;
        return true;
      },
      [&] { return port.submitted.size() == limits::kSlotsMax; },
  });
  EXPECT_TRUE(served) << "a slot is free and a request waits for it";
}

}  // namespace
}  // namespace overbite::request
