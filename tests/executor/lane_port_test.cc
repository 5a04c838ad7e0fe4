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
