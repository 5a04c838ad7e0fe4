#include "server/http/reason.h"

#include <gtest/gtest.h>

namespace overbite::http {
namespace {

TEST(ReasonTable, PhraseIsWhatWasSet) {
  ReasonTable reasons;
  reasons.set(100, "Continue");
  reasons.set(404, "Not Found");
  reasons.set(599, "Last");
  EXPECT_EQ(reasons.phrase(100), "Continue");
  EXPECT_EQ(reasons.phrase(404), "Not Found");
  EXPECT_EQ(reasons.phrase(599), "Last");
}

TEST(ReasonTable, StatusWithoutPhraseIsEmpty) {
  const ReasonTable reasons;
  for (const int status : {299, 99, 600, 0, -1, 100000}) {
    EXPECT_EQ(reasons.phrase(status), "") << status;
  }
}

TEST(ReasonTable, CoversWhatTheReferenceKnows) {
  EXPECT_FALSE(ReasonTable::covers(99));
  EXPECT_TRUE(ReasonTable::covers(100));
  EXPECT_TRUE(ReasonTable::covers(599));
  EXPECT_FALSE(ReasonTable::covers(600));
}

TEST(ReasonTable, SettingAStatusOutsideIsOurOwnMistake) {
  ReasonTable reasons;
  EXPECT_DEATH(reasons.set(600, "x"), "CHECK failed: status <= kLast \\(600 vs 599\\)");
}

}  // namespace
}  // namespace overbite::http
