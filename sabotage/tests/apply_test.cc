#include "sabotage/runner/apply.h"

#include <gtest/gtest.h>

#include "sabotage/runner/failure.h"

namespace overbite::sabotage {
namespace {

Patch patch_of(std::vector<std::string> replacement) {
  Patch patch;
  patch.file = "sabotage/patches/x/g.patch";
  patch.id = "g";
  patch.source = "server/x/a.cc";
  patch.hunk.first_line = 2;
  patch.hunk.old_lines = {"two", "three  // guard: g", "four"};
  patch.hunk.guarded = 1;
  patch.hunk.replacement = std::move(replacement);
  return patch;
}

constexpr std::string_view kSource = "one\ntwo\nthree  // guard: g\nfour\nfive\n";

std::string refusal(const Patch& patch, std::string_view source) {
  try {
    apply_patch(patch, source, "/s/a.cc");
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.exit(), Exit::kStale);
    return failure.what();
  }
  return "applied";
}

TEST(Apply, ReplacesTheGuardedLine) {
  const Patched patched = apply_patch(patch_of({"drei"}), kSource, "/s/a.cc");
  EXPECT_EQ(patched.text, "#line 1 \"/s/a.cc\"\none\ntwo\ndrei\nfour\nfive\n");
  EXPECT_EQ(patched.guard_line, 3);
  EXPECT_EQ(patched.moved_by, 0);
}

TEST(Apply, LinesBelowKeepTheirNumbers) {
  EXPECT_EQ(apply_patch(patch_of({}), kSource, "a.cc").text,
            "#line 1 \"a.cc\"\none\ntwo\n\nfour\nfive\n");
  EXPECT_EQ(apply_patch(patch_of({"3a", "3b"}), kSource, "a.cc").text,
            "#line 1 \"a.cc\"\none\ntwo\n3a\n3b\n#line 4 \"a.cc\"\nfour\nfive\n");
}

TEST(Apply, FollowsTheGuardAndSaysByHowMuch) {
  const std::string moved = "zero\nhalf\n" + std::string(kSource);
  const Patched patched = apply_patch(patch_of({"drei"}), moved, "a.cc");
  EXPECT_EQ(patched.guard_line, 5);
  EXPECT_EQ(patched.moved_by, 2);
}

TEST(Apply, HasNoFuzz) {
  EXPECT_EQ(refusal(patch_of({"x"}), "one\ntwo \nthree  // guard: g\nfour\n"),
            "sabotage/patches/x/g.patch does not apply: server/x/a.cc:2 reads 'two ', the patch "
            "expects 'two'");
  EXPECT_NE(refusal(patch_of({"x"}), "two\nthree // guard: g\nfour\n").find("a.cc:2 reads"),
            std::string::npos);
  EXPECT_NE(refusal(patch_of({"x"}), "three  // guard: g\nfour\n").find("beyond the ends"),
            std::string::npos);
  EXPECT_NE(refusal(patch_of({"x"}), "two\nthree  // guard: g\n").find("beyond the ends"),
            std::string::npos);
}

TEST(Apply, GuardHasToBeThereOnce) {
  EXPECT_EQ(refusal(patch_of({"x"}), "two\nthree\nfour\n"), "server/x/a.cc carries no guard 'g'");
  EXPECT_EQ(refusal(patch_of({"x"}), std::string(kSource) + "six  // guard: g\n"),
            "server/x/a.cc carries guard 'g' twice, at lines 3 and 6");
}

TEST(Apply, UnchangedCopyIsTheSourceUnderItsName) {
  EXPECT_EQ(unchanged_copy("one", "/a \"b\".cc"), "#line 1 \"/a \\\"b\\\".cc\"\none\n");
}

}  // namespace
}  // namespace overbite::sabotage
