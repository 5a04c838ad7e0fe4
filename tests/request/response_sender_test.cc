#include "server/request/response_sender.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/request/request.h"

namespace overbite::request {
namespace {

using handoff::CompletionKind;
using handoff::PushResult;

constexpr base::SlotRef kSlot{3, 1};

// Writes down what reaches the loop, a word each.
struct RecordingSink : ReplySink {
  void complete(handoff::Completion completion) override {
    const auto* const reply = static_cast<const Reply*>(completion.payload.get());
    std::string word = completion.kind == CompletionKind::kDone ? "done" : "begin";
    word += reply == nullptr ? " -" : " " + reply->bytes + (reply->close ? " close" : "");
    words.push_back(word);
  }
  void open_stream(base::SlotRef) override { words.push_back("open"); }
  PushResult push_frame(handoff::Frame& frame) override {
    if (answer == PushResult::kAccepted) {
      words.push_back(std::string(frame.last ? "last " : "frame ") + frame.bytes);
    }
    return answer;
  }
  void send_message(const handoff::Message& message) override {
    words.push_back(message.kind == handoff::MessageKind::kAbort ? "abort" : "other");
  }
  bool stopping() const override { return false; }
  PushResult answer = PushResult::kAccepted;
  std::vector<std::string> words;
};

struct ResponseSenderTest : testing::Test {
  RecordingSink sink;
  ResponseSender sender{sink, kSlot};
  using Words = std::vector<std::string>;
};

TEST_F(ResponseSenderTest, AResponseThatIsReadyAtOnceIsOneCompletion) {
  sender.pending() = "all";
  sender.finish(false);
  EXPECT_EQ(sink.words, Words{"done all"});
}

TEST_F(ResponseSenderTest, AStreamOpensBeforeItsBeginAndEndsWithALastFrame) {
  sender.pending() = "head";
  EXPECT_EQ(sender.flush(true), PushResult::kAccepted);
  sender.pending() = "a";
  EXPECT_EQ(sender.flush(true), PushResult::kAccepted);
  sender.pending() = "z";
  sender.finish(true);
  EXPECT_EQ(sink.words, (Words{"open", "begin head close", "frame a", "last z"}));
}

TEST_F(ResponseSenderTest, WhatFindsNoCreditStaysPending) {
  sender.pending() = "head";
  EXPECT_EQ(sender.flush(false), PushResult::kAccepted);
  sink.answer = PushResult::kNoCredit;
  sender.pending() = "a";
  EXPECT_EQ(sender.flush(false), PushResult::kNoCredit);
  EXPECT_TRUE(sender.starved());
  EXPECT_EQ(sender.pending(), "a");
}

TEST_F(ResponseSenderTest, StoppingShortOfAStreamSendsWhatThereIsAndAborts) {
  sender.pending() = "head";
  EXPECT_EQ(sender.flush(false), PushResult::kAccepted);
  sender.pending() = "a";
  sender.stop_short();
  EXPECT_EQ(sink.words, (Words{"open", "begin head", "frame a", "abort"}));
  EXPECT_TRUE(sender.slot_finished());
}

TEST_F(ResponseSenderTest, StoppingShortBeforeTheStreamClosesBehindTheBytes) {
  sender.pending() = "head";
  sender.stop_short();
  EXPECT_EQ(sink.words, Words{"done head close"});
}

TEST_F(ResponseSenderTest, ALastFrameThatFindsTheStreamClosedStillFinishesTheSlot) {
  sender.pending() = "head";
  EXPECT_EQ(sender.flush(false), PushResult::kAccepted);
  sink.answer = PushResult::kClosed;
  sender.finish(false);
  EXPECT_EQ(sink.words.back(), "done -") << "the slot would be in use for ever";
}

}  // namespace
}  // namespace overbite::request
