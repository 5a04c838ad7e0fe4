#include "server/handoff/chunk_channel.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace overbite::handoff {
namespace {

constexpr SlotRef kSlot{1, 7};

struct ChunkChannelTest : testing::Test {
  PushResult push(const std::string& bytes, bool last = false) {
    Frame frame{.slot = kSlot, .bytes = bytes, .last = last};
    return channel.try_push(frame);
  }
  std::vector<Frame> drained() {
    std::vector<Frame> frames;
    channel.drain(frames);
    return frames;
  }
  ChunkChannel channel{4, 10};
};

TEST_F(ChunkChannelTest, TakesFramesUntilTheCreditIsUsedUp) {
  channel.open(kSlot);
  EXPECT_EQ(push("12345678"), PushResult::kAccepted);
  EXPECT_EQ(push("12345678"), PushResult::kAccepted) << "the frame that crosses the mark is taken";
  EXPECT_EQ(push("x"), PushResult::kNoCredit);
}

TEST_F(ChunkChannelTest, RefusedFrameStaysWithTheCaller) {
  channel.open(kSlot);
  EXPECT_EQ(push("0123456789"), PushResult::kAccepted);
  Frame frame{.slot = kSlot, .bytes = "kept"};
  EXPECT_EQ(channel.try_push(frame), PushResult::kNoCredit);
  EXPECT_EQ(frame.bytes, "kept");
}

TEST_F(ChunkChannelTest, TheLastFrameNeedsNoCredit) {
  channel.open(kSlot);
  EXPECT_EQ(push("0123456789"), PushResult::kAccepted);
  EXPECT_EQ(push("end", true), PushResult::kAccepted);
}

TEST_F(ChunkChannelTest, GrantTellsOnlyAProducerThatRanOut) {
  channel.open(kSlot);
  EXPECT_EQ(push("0123456789"), PushResult::kAccepted);
  EXPECT_FALSE(channel.grant(kSlot, 1)) << "nobody has run out yet";
  EXPECT_EQ(push("0123456789"), PushResult::kAccepted);
  EXPECT_EQ(push("x"), PushResult::kNoCredit);
  EXPECT_FALSE(channel.grant(kSlot, 5)) << "still below zero";
  EXPECT_TRUE(channel.grant(kSlot, 10));
  EXPECT_EQ(push("x"), PushResult::kAccepted);
}

// A producer in a thread of its own, which a failing test leaves behind: it may wait for ever.
struct WaitingProducer {
  WaitingProducer() {
    channel->open(kSlot);
    Frame all{.slot = kSlot, .bytes = "0123456789"};
    EXPECT_EQ(channel->try_push(all), PushResult::kAccepted);
    std::thread([shared = channel, told = std::move(promise)]() mutable {
      Frame frame{.slot = kSlot, .bytes = "x"};
      told.set_value(shared->push_or_wait(frame));
    }).detach();
    // Nothing shows from outside that it waits; if it does not yet, it need not be woken.
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  bool ended() { return result.wait_for(std::chrono::seconds(2)) == std::future_status::ready; }

  std::shared_ptr<ChunkChannel> channel = std::make_shared<ChunkChannel>(4, 10);
  std::promise<PushResult> promise;
  std::future<PushResult> result = promise.get_future();
};

TEST(WaitingProducer, IsWokenByAGrant) {
  WaitingProducer producer;
  EXPECT_TRUE(producer.channel->grant(kSlot, 1));
  ASSERT_TRUE(producer.ended()) << "the producer still waits for credit that was granted";
  EXPECT_EQ(producer.result.get(), PushResult::kAccepted);
}

TEST(WaitingProducer, IsWokenByAClose) {
  WaitingProducer producer;
  producer.channel->close(kSlot);
  ASSERT_TRUE(producer.ended()) << "the producer still waits for a client that is gone";
  EXPECT_EQ(producer.result.get(), PushResult::kClosed);
}

TEST_F(ChunkChannelTest, CloseDropsFramesButKeepsTheLastOne) {
  channel.open(kSlot);
  EXPECT_EQ(push("a"), PushResult::kAccepted);
  EXPECT_EQ(push("b", true), PushResult::kAccepted);
  channel.close(kSlot);
  const auto frames = drained();
  ASSERT_EQ(frames.size(), 1u) << "the slot would never be finished";
  EXPECT_TRUE(frames[0].last);
  EXPECT_FALSE(channel.has_frames());
}

TEST_F(ChunkChannelTest, PushAfterCloseSaysClosed) {
  channel.open(kSlot);
  channel.close(kSlot);
  EXPECT_EQ(push("a"), PushResult::kClosed);
}

TEST_F(ChunkChannelTest, AnEarlierGenerationIsClosed) {
  channel.open(kSlot);
  Frame late{.slot = {kSlot.index, kSlot.generation - 1}, .bytes = "late"};
  EXPECT_EQ(channel.try_push(late), PushResult::kClosed);
  channel.close({kSlot.index, kSlot.generation - 1});
  EXPECT_EQ(push("current"), PushResult::kAccepted);
}

TEST_F(ChunkChannelTest, KeepsTheOrderWithinAStream) {
  channel.open(kSlot);
  const SlotRef other{2, 1};
  channel.open(other);
  EXPECT_EQ(push("1"), PushResult::kAccepted);
  Frame between{.slot = other, .bytes = "x"};
  EXPECT_EQ(channel.try_push(between), PushResult::kAccepted);
  EXPECT_EQ(push("2"), PushResult::kAccepted);
  std::string bytes;
  for (const Frame& frame : drained()) {
    if (frame.slot == kSlot) {
      bytes += frame.bytes;
    }
  }
  EXPECT_EQ(bytes, "12");
}

}  // namespace
}  // namespace overbite::handoff
