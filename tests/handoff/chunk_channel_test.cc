#include "server/handoff/chunk_channel.h"

#include <gtest/gtest.h>

#include <future>
#include <string>
#include <vector>

namespace overbite::handoff {
namespace {

constexpr SlotRef kSlot{1, 7};
constexpr std::chrono::seconds kSoon(20);  // only a failure waits that long

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

TEST_F(ChunkChannelTest, GrantWakesAWaitingProducer) {
  channel.open(kSlot);
  ASSERT_EQ(push("0123456789"), PushResult::kAccepted);
  auto waiting = std::async(std::launch::async, [this] {
    Frame frame{.slot = kSlot, .bytes = "x"};
    return channel.push_or_wait(frame);
  });
  // The producer is counted as starved once it waits.
  while (!channel.grant(kSlot, 1)) {
    std::this_thread::yield();
  }
  const bool woken = waiting.wait_for(kSoon) == std::future_status::ready;
  EXPECT_TRUE(woken) << "the producer still waits for credit that was granted";
  channel.close(kSlot);
  EXPECT_EQ(waiting.get(), PushResult::kAccepted);
}

TEST_F(ChunkChannelTest, CloseWakesAWaitingProducer) {
  channel.open(kSlot);
  ASSERT_EQ(push("0123456789"), PushResult::kAccepted);
  auto waiting = std::async(std::launch::async, [this] {
    Frame frame{.slot = kSlot, .bytes = "x"};
    return channel.push_or_wait(frame);
  });
  // No way to see that the producer waits already: whichever comes first, it must end.
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  channel.close(kSlot);
  if (waiting.wait_for(std::chrono::seconds(5)) != std::future_status::ready) {
    ADD_FAILURE() << "the producer still waits for a client that is gone";
    channel.open(kSlot);
    while (!channel.grant(kSlot, 1)) {
      std::this_thread::yield();
    }
  }
  waiting.get();
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
