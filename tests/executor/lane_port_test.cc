#include "server/executor/lane_port.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <cstdint>
#include <vector>

#include "server/base/limits.h"

namespace overbite::executor {
namespace {

using handoff::CompletionKind;
using handoff::Message;
using handoff::MessageKind;

struct Ignoring : handoff::BatchHandler {
  void on_completion(handoff::Completion) override {}
  void on_frame(handoff::Frame) override {}
  void on_message(const Message&) override {}
};

struct LanePortTest : testing::Test {
  // What the executor finds on its end.
  std::vector<Message> received() {
    std::vector<Message> messages;
    lane.executor_channel().receive_all(messages);
    return messages;
  }

  handoff::Lane lane{lane_sizes()};
  net::EventLoop loop;
  LanePort port{loop, lane};
  Ignoring handler;
};

// More than a socket's buffer holds, and one at the end that must not stay behind.
TEST_F(LanePortTest, AMessageThatDidNotFitEndsTheSleepOnceThereIsRoom) {
  constexpr std::uint32_t kMany = 1000;
  for (std::uint32_t i = 0; i < kMany; ++i) {
    port.half_close({i, 1});
  }
  ASSERT_TRUE(lane.loop_channel().has_unsent());
  bool gave_up = false;
  net::Timer limit(loop.timers(), [&gave_up] { gave_up = true; });
  std::size_t got = received().size();
  while (got < kMany && !gave_up) {
    limit.arm_after(2000);
    loop.run_once(port.may_sleep());  // nobody else would wake it
    port.woke();
    port.run(handler);
    got += received().size();
  }
  EXPECT_EQ(got, kMany) << "the loop slept over messages that did not fit";
}

TEST_F(LanePortTest, SleepsWhileThereIsNoRoom) {
  for (std::uint32_t i = 0; i < 1000; ++i) {
    port.half_close({i, 1});
  }
  bool slept = false;
  net::Timer limit(loop.timers(), [&slept] { slept = true; });
  limit.arm_after(20);
  loop.run_once(port.may_sleep());
  EXPECT_TRUE(slept) << "the loop spins until the executor reads";
}

TEST_F(LanePortTest, SleepsAgainWhenEverythingHasGoneOut) {
  for (std::uint32_t i = 0; i < 300; ++i) {
    port.half_close({i, 1});
  }
  while (lane.loop_channel().has_unsent()) {
    received();
    port.run(handler);
    ASSERT_TRUE(port.may_sleep());
  }
  received();
  bool slept = false;
  net::Timer limit(loop.timers(), [&slept] { slept = true; });
  limit.arm_after(20);
  loop.run_once(port.may_sleep());
  EXPECT_TRUE(slept) << "an idle channel is always writable: the loop would spin";
}

TEST_F(LanePortTest, AnExecutorIsNotHeldUpByALoopThatHasFinished) {
  while (lane.executor_channel().try_send({MessageKind::kLateError, {1, 1}})) {
  }
  port.loop_finished();
  EXPECT_TRUE(lane.executor_channel().try_send({MessageKind::kLateError, {1, 1}}))
      << "the executor would wait for ever";
  const auto messages = received();
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(messages[0].kind, MessageKind::kFinished);
}

// A client that goes behind "100 Continue" and the begin of a stream, on every slot, while the loop
// is busy.
TEST_F(LanePortTest, TheRingTakesEveryWordOfEverySlot) {
  for (std::uint32_t i = 0; i < limits::kSlotsMax; ++i) {
    lane.complete({CompletionKind::kInterim, {i, 1}, nullptr});
    lane.complete({CompletionKind::kBegin, {i, 1}, nullptr});
    lane.complete({CompletionKind::kDone, {i, 1}, nullptr});
  }
  handoff::Batch batch;
  handoff::drain_completions_into(lane, batch);
  EXPECT_EQ(batch.completions.size(), limits::kSlotsMax * 3);
}

}  // namespace
}  // namespace overbite::executor
