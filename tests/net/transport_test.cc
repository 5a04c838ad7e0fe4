#include "server/net/transport.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <ctime>
#include <memory>
#include <string>

namespace overbite::net {
namespace {

struct Recorder : TransportOwner {
  void on_data(std::string_view bytes) override { data.append(bytes); }
  void on_end_of_input() override { ended = true; }
  void on_end_ahead() override { ++ends_ahead; }
  void on_written(std::size_t bytes) override { written += bytes; }
  void on_closed() override { closed = true; }
  std::string data;
  std::size_t written = 0;
  int ends_ahead = 0;
  bool ended = false;
  bool closed = false;
};

struct TransportTest : testing::Test {
  TransportTest() {
    int fds[2] = {-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
    peer = base::UniqueFd(fds[1]);
    transport = std::make_unique<Transport>(loop, base::UniqueFd(fds[0]), owner);
  }
  std::string peer_reads() {
    std::string all(1 << 20, '\0');
    const auto got = ::read(peer.get(), all.data(), all.size());
    all.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return all;
  }
  void peer_writes(const std::string& bytes) {
    ASSERT_EQ(::write(peer.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }

  EventLoop loop;
  Recorder owner;
  base::UniqueFd peer;
  std::unique_ptr<Transport> transport;
};

TEST_F(TransportTest, DeliversWhatThePeerSends) {
  peer_writes("hello");
  loop.run_once(false);
  EXPECT_EQ(owner.data, "hello");
}

TEST_F(TransportTest, PausedReadingDeliversNothingUntilItResumes) {
  transport->pause_reading();
  peer_writes("hello");
  loop.run_once(false);
  EXPECT_EQ(owner.data, "");
  transport->resume_reading();
  loop.run_once(false);
  EXPECT_EQ(owner.data, "hello");
}

TEST_F(TransportTest, TheEndIsSeenOnceWhileReadingIsPausedAndWhatCameBeforeItIsNotLost) {
  transport->pause_reading();
  peer_writes("hello");
  ::shutdown(peer.get(), SHUT_WR);
  loop.run_once(false);
  loop.run_once(false);
  EXPECT_EQ(owner.ends_ahead, 1);
  EXPECT_EQ(owner.data, "");
  transport->resume_reading();
  loop.run_once(false);
  loop.run_once(false);
  EXPECT_EQ(owner.data, "hello");
  EXPECT_TRUE(owner.ended);
}

TEST_F(TransportTest, HalfClosedPeerStillGetsAnAnswer) {
  ::shutdown(peer.get(), SHUT_WR);
  loop.run_once(false);
  EXPECT_TRUE(owner.ended);
  EXPECT_FALSE(owner.closed);
  transport->write("answer");
  EXPECT_EQ(peer_reads(), "answer");
}

TEST_F(TransportTest, KeepsTheOrderOfWhatASlowPeerHasNotTaken) {
  std::string sent;
  for (int i = 0; i < 200; ++i) {
    const std::string piece(10000, static_cast<char>('a' + i % 26));
    sent += piece;
    transport->write(piece);
  }
  EXPECT_GT(transport->unwritten(), 0u);
  std::string got;
  while (got.size() < sent.size()) {
    got += peer_reads();
    loop.run_once(false);
  }
  EXPECT_EQ(got, sent);
  EXPECT_EQ(owner.written, sent.size());
}

// What is left must not be moved to the front for every piece that the kernel takes.
TEST_F(TransportTest, ALargeAnswerToASlowPeerCostsTimeInProportion) {
  const auto cost_of = [this](std::size_t size) {
    const auto cpu_seconds = [] {
      timespec time{};
      ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
      return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
    };
    const double before = cpu_seconds();
    transport->write(std::string(size, 'x'));
    for (std::size_t got = 0; got < size; loop.run_once(false)) {
      got += peer_reads().size();
    }
    return cpu_seconds() - before;
  };
  const double small = cost_of(8u << 20);
  const double large = cost_of(64u << 20);
  // 8 times the size; moved again and again it would cost 64 times as much.
  EXPECT_LT(large, 24 * small) << "the rest is moved again and again";
}

TEST_F(TransportTest, CloseWritesWhatIsLeftFirst) {
  const std::string large(1 << 20, 'x');
  transport->write(large);
  transport->close();
  EXPECT_FALSE(owner.closed);
  std::string got;
  while (!owner.closed) {
    got += peer_reads();
    loop.run_once(false);
  }
  got += peer_reads();
  EXPECT_EQ(got.size(), large.size());
}

TEST_F(TransportTest, AVanishedPeerIsReportedOnce) {
  peer.reset();
  transport->write("into the void");
  loop.run_once(false);
  EXPECT_TRUE(owner.closed || owner.ended);
  transport->write("again");
  EXPECT_TRUE(owner.closed);
}

}  // namespace
}  // namespace overbite::net
