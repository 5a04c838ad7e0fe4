#include "server/handoff/drain.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace overbite::handoff {
namespace {

constexpr LaneSizes kSmall{
    .slots = 4, .submit_entries = 4, .completion_entries = 8, .credit_bytes = 10};
constexpr SlotRef kSlot{1, 1};

struct Recorder : BatchHandler {
  void on_completion(Completion completion) override {
    seen.push_back(completion.kind == CompletionKind::kBegin ? "begin" : "done");
  }
  void on_frame(Frame frame) override { seen.push_back("frame " + frame.bytes); }
  void on_message(const Message& message) override {
    seen.push_back(message.kind == MessageKind::kAbort ? "abort" : "message");
  }
  std::vector<std::string> seen;
};

TEST(Drain, AppliesAnAbortBehindItsHeadAndFrames) {
  Lane lane(kSmall);
  ASSERT_TRUE(lane.executor_channel().try_send({MessageKind::kAbort, kSlot}));
  lane.chunks().open(kSlot);
  Frame frame{.slot = kSlot, .bytes = "x"};
  ASSERT_EQ(lane.chunks().try_push(frame), PushResult::kAccepted);
  lane.complete({CompletionKind::kBegin, kSlot, nullptr});
  Batch batch;
  Recorder recorder;
  drain_completions_into(lane, batch);
  apply(batch, recorder);
  EXPECT_EQ(recorder.seen, (std::vector<std::string>{"begin", "frame x", "abort"}));
}

TEST(Drain, AppliesEveryAbort) {
  Lane lane(kSmall);
  ASSERT_TRUE(lane.executor_channel().try_send({MessageKind::kAbort, kSlot}));
  Batch batch;
  Recorder recorder;
  drain_completions_into(lane, batch);
  apply(batch, recorder);
  EXPECT_EQ(recorder.seen, std::vector<std::string>{"abort"})
      << "the stream would stay open for ever";
}

TEST(Drain, LeavesTheLaneAndTheBatchEmpty) {
  Lane lane(kSmall);
  lane.complete({CompletionKind::kDone, kSlot, nullptr});
  Batch batch;
  Recorder recorder;
  drain_completions_into(lane, batch);
  apply(batch, recorder);
  EXPECT_TRUE(batch.empty());
  drain_completions_into(lane, batch);
  EXPECT_TRUE(batch.empty());
  EXPECT_TRUE(lane.loop_may_sleep());
}

}  // namespace
}  // namespace overbite::handoff
