#include "server/handoff/lane.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <vector>

namespace overbite::handoff {
namespace {

constexpr LaneSizes kSmall{
    .slots = 4, .submit_entries = 4, .completion_entries = 8, .credit_bytes = 10};

bool readable(int fd) {
  pollfd entry{.fd = fd, .events = POLLIN, .revents = 0};
  return ::poll(&entry, 1, 0) == 1;
}

TEST(Waker, PokesOnlyAParkedPeer) {
  Waker waker;
  waker.poke();
  EXPECT_FALSE(readable(waker.fd())) << "nobody sleeps: a write for nothing";
}

TEST(Waker, PokeMakesTheDescriptorOfAParkedPeerReadable) {
  Waker waker;
  waker.park();
  waker.poke();
  EXPECT_TRUE(readable(waker.fd())) << "the parked peer sleeps on";
  waker.unpark();
  EXPECT_FALSE(readable(waker.fd()));
}

TEST(Waker, OneParkingIsPokedOnce) {
  Waker waker;
  waker.park();
  waker.poke();
  waker.unpark();
  waker.poke();
  EXPECT_FALSE(readable(waker.fd()));
}

TEST(Lane, LoopMayNotSleepWhileACompletionWaits) {
  Lane lane(kSmall);
  EXPECT_TRUE(lane.loop_may_sleep());
  lane.loop_woke();
  lane.complete({CompletionKind::kDone, {1, 1}, nullptr});
  EXPECT_FALSE(lane.loop_may_sleep());
}

TEST(Lane, LoopMayNotSleepWhileAFrameWaits) {
  Lane lane(kSmall);
  lane.chunks().open({1, 1});
  Frame frame{.slot = {1, 1}, .bytes = "x"};
  ASSERT_EQ(lane.chunks().try_push(frame), PushResult::kAccepted);
  EXPECT_FALSE(lane.loop_may_sleep());
}

TEST(Lane, ExecutorMayNotSleepWhileAJobWaits) {
  Lane lane(kSmall);
  ASSERT_TRUE(lane.submit(Job{}));
  EXPECT_FALSE(lane.executor_may_sleep());
}

TEST(Lane, SubmitWakesAParkedExecutor) {
  Lane lane(kSmall);
  ASSERT_TRUE(lane.executor_may_sleep());
  ASSERT_TRUE(lane.submit(Job{}));
  EXPECT_TRUE(readable(lane.executor_waker().fd()));
}

TEST(Lane, FullSubmitRingLeavesTheJobWithTheCaller) {
  Lane lane(kSmall);
  for (std::size_t i = 0; i < kSmall.submit_entries; ++i) {
    ASSERT_TRUE(lane.submit(Job{}));
  }
  Job job;
  job.payload = std::make_unique<base::Payload>();
  EXPECT_FALSE(lane.submit(std::move(job)));
  EXPECT_NE(job.payload, nullptr);
}

TEST(Channel, CarriesMessagesBothWaysInOrder) {
  Channel channel = Channel::open();
  channel.loop.send({MessageKind::kDisconnect, {1, 2}});
  channel.loop.send({MessageKind::kCredit, {3, 4}});
  std::vector<Message> got;
  channel.executor.receive_all(got);
  ASSERT_EQ(got.size(), 2u);
  EXPECT_EQ(got[0].kind, MessageKind::kDisconnect);
  EXPECT_EQ(got[1].slot, (SlotRef{3, 4}));
  ASSERT_TRUE(channel.executor.try_send({MessageKind::kAbort, {5, 6}}));
  got.clear();
  channel.loop.receive_all(got);
  ASSERT_EQ(got.size(), 1u);
}

TEST(Channel, KeepsWhatTheKernelDoesNotTake) {
  constexpr std::uint32_t kMany = 5000;  // more than a socket's buffer holds
  Channel channel = Channel::open();
  for (std::uint32_t i = 1; i <= kMany; ++i) {
    channel.loop.send({MessageKind::kCredit, {i, 1}});
  }
  std::vector<Message> got;
  while (got.size() < kMany) {
    const std::size_t before = got.size();
    channel.executor.receive_all(got);
    ASSERT_GT(got.size(), before) << "a message was lost";
    channel.loop.flush();
  }
  for (std::uint32_t i = 0; i < kMany; ++i) {
    ASSERT_EQ(got[i].slot.index, i + 1);
  }
}

TEST(DisconnectTags, AJobBehindItsTagIsTagged) {
  DisconnectTags tags(4);
  tags.tag({2, 9});
  EXPECT_TRUE(tags.is_tagged({2, 9})) << "the job would be started for a client that is gone";
}

TEST(DisconnectTags, AnEarlierGenerationsTagSaysNothing) {
  DisconnectTags tags(4);
  tags.tag({2, 9});
  EXPECT_FALSE(tags.is_tagged({2, 10}));
  EXPECT_FALSE(tags.is_tagged({1, 9}));
}

}  // namespace
}  // namespace overbite::handoff
