#include "sabotage/runner/ninja.h"

#include <gtest/gtest.h>

namespace overbite::sabotage {
namespace {

TEST(NinjaFile, EscapesWhatNinjaReads) {
  const std::string text = ninja_file({{"/b/a b.o", "cc $HOME", {"/b/c:d.cc"}, true, "compile"}});
  EXPECT_NE(text.find("build /b/a$ b.o: compile | /b/c$:d.cc\n  run = cc $$HOME\n"),
            std::string::npos)
      << text;
}

TEST(NinjaOutput, FailedEdgesKeepWhatTheySaid) {
  const auto failed = failed_edges(
      "ninja: Entering directory `/b'\n[1/3] x: compile a.cc\nFAILED: /b/v/x/a.o \n"
      "cd /b && clang++ a.cc\na.cc:3:1: error: no\nmore\n[2/3] y: compile a.cc\nwarning\n"
      "FAILED: /b/v/y/a.o \ncd /b\na.cc:4: error: never\nninja: build stopped: cannot make "
      "progress due to previous errors.\n");
  ASSERT_EQ(failed.size(), 2U);
  EXPECT_EQ(failed.at("/b/v/x/a.o"), "a.cc:3:1: error: no\nmore\n");
  EXPECT_EQ(failed.at("/b/v/y/a.o"), "a.cc:4: error: never\n");
}

}  // namespace
}  // namespace overbite::sabotage
