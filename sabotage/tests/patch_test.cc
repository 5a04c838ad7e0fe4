#include "sabotage/runner/patch.h"

#include <gtest/gtest.h>

#include "sabotage/runner/failure.h"

namespace overbite::sabotage {
namespace {

constexpr const char* kFile = "sabotage/patches/handoff/poke-forgotten.patch";

constexpr std::string_view kHeader =
    "guard: poke-forgotten\n"
    "harm: a parked loop sleeps on\n"
    "killer: gtest:waker_test:Waker.PokesAParkedPeer | assert | not woken\n";

constexpr std::string_view kDiff =
    "--- a/server/handoff/waker.cc\n"
    "+++ b/server/handoff/waker.cc\n"
    "@@ -27,3 +27,3 @@ void Waker::poke() {\n"
    " void poke() {\n"
    "-  if (parked_.exchange(false)) {  // guard: poke-forgotten\n"
    "+  if (false) {\n"
    "   write();\n";

Patch parse(std::string_view header, std::string_view diff, const char* file = kFile) {
  return parse_patch(file, std::string(header) + std::string(diff));
}

// The one line the user reads.
std::string refusal(std::string_view header, std::string_view diff, const char* file = kFile) {
  try {
    parse(header, diff, file);
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.exit(), Exit::kStale);
    return failure.what();
  }
  return "accepted";
}

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string result(text);
  const std::size_t at = result.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return result.replace(at, from.size(), to);
}

TEST(PatchParser, RefusesWhatIsNoTextWithoutRepeatingIt) {
  const std::string binary("guard: poke-forgotten\n\x1b[2J\0: x\n", 34);
  EXPECT_EQ(refusal(binary, kDiff),
            std::string(kFile) + ":2: holds the byte 0x1b: a patch is text");
}

TEST(PatchParser, ReadsAWholePatch) {
  const std::string header = std::string(kHeader) +
                             "origin: a report from the field,\n  told over two lines\n"
                             "# a comment\n\n"
                             "killer: ordering:park_vs_poke@rc11 | scenario | lost | found\n"
                             "killer: pytest:tests/e2e/test_x.py::TestX::test_y[a|b] | hang\n"
                             "control: gtest:waker_test:Waker.StartsAwake\n";
  const Patch patch = parse(header, kDiff);
  EXPECT_EQ(patch.id, "poke-forgotten");
  EXPECT_EQ(patch.origin, "a report from the field, told over two lines");
  EXPECT_EQ(patch.source, "server/handoff/waker.cc");
  ASSERT_EQ(patch.killers.size(), 3U);
  EXPECT_EQ(patch.killers[0].name.place, "waker_test");
  EXPECT_EQ(patch.killers[0].name.test, "Waker.PokesAParkedPeer");
  EXPECT_EQ(patch.killers[0].text, "not woken");
  EXPECT_EQ(patch.killers[1].name.place, "rc11");
  EXPECT_EQ(patch.killers[1].name.test, "park_vs_poke");
  EXPECT_EQ(patch.killers[1].text, "lost | found");
  EXPECT_EQ(patch.killers[2].name.test, "TestX::test_y[a|b]");
  EXPECT_EQ(patch.killers[2].kind, KillKind::kHang);
  EXPECT_EQ(patch.controls.size(), 1U);
  EXPECT_EQ(patch.hunk.first_line, 27);
  EXPECT_EQ(patch.hunk.guarded, 1U);
  EXPECT_EQ(patch.hunk.old_lines.size(), 3U);
  EXPECT_EQ(patch.hunk.replacement, std::vector<std::string>{"  if (false) {"});
  EXPECT_EQ(patch.diff, kDiff);
}

TEST(PatchParser, NamesFileAndLine) {
  EXPECT_EQ(refusal("guard: poke-forgotten\nharm some\n", kDiff),
            std::string(kFile) +
                ":2: neither a 'key: value' line of the header nor the start of the diff "
                "('--- a/')");
}

struct Refused {
  const char* name;
  std::string header;
  std::string diff;
  std::string says;
};

class PatchRefused : public testing::TestWithParam<Refused> {};

TEST_P(PatchRefused, WithOneClearLine) {
  const std::string line = refusal(GetParam().header, GetParam().diff);
  EXPECT_NE(line.find(GetParam().says), std::string::npos) << line;
  EXPECT_EQ(line.find('\n'), std::string::npos);
}

const std::string kGood(kHeader);
const std::string kGoodDiff(kDiff);

INSTANTIATE_TEST_SUITE_P(
    Header,
    PatchRefused,
    testing::Values(
        Refused{"WrongId",
                replaced(kHeader, "guard: poke-", "guard: push-"),
                kGoodDiff,
                ":1: 'guard: push-forgotten' does not match"},
        Refused{
            "NoGuard", replaced(kHeader, "guard: poke-forgotten\n", ""), kGoodDiff, "no 'guard:'"},
        Refused{"NoHarm",
                replaced(kHeader, "harm: a parked loop sleeps on\n", ""),
                kGoodDiff,
                "no 'harm:'"},
        Refused{"NoKiller", "guard: poke-forgotten\nharm: x\n", kGoodDiff, "no 'killer:'"},
        Refused{"SecondHarm", kGood + "harm: another\n", kGoodDiff, ":4: a second 'harm:'"},
        Refused{"UnknownKey", kGood + "kilelr: x\n", kGoodDiff, ":4: unknown key 'kilelr'"},
        Refused{"EmptyValue", kGood + "origin:\n", kGoodDiff, ":4: 'origin:' is empty"},
        Refused{"UnknownKind",
                replaced(kHeader, "| assert |", "| boom |"),
                kGoodDiff,
                ":3: unknown kind 'boom'"},
        Refused{"NoText",
                replaced(kHeader, "| not woken", "|"),
                kGoodDiff,
                ":3: the killer declares no text"},
        Refused{"NoKind",
                replaced(kHeader, " | assert | not woken", ""),
                kGoodDiff,
                ":3: a killer reads"},
        Refused{"WildCase",
                replaced(kHeader, "Waker.PokesAParkedPeer", "Waker.*"),
                kGoodDiff,
                ":3: 'gtest:waker_test:Waker.*' is no test"},
        Refused{"UnknownType",
                replaced(kHeader, "gtest:", "catch:"),
                kGoodDiff,
                "is no test: expected"},
        Refused{"UnknownModel",
                replaced(kHeader, "gtest:waker_test:Waker.PokesAParkedPeer", "ordering:a_vs_b@tso"),
                kGoodDiff,
                "is no test: expected"},
        Refused{"ScenarioOfGtest",
                replaced(kHeader, "| assert |", "| scenario |"),
                kGoodDiff,
                "the kind 'scenario' belongs to ordering"},
        Refused{"NoDiff", kGood, "", "holds no diff"}),
    [](const auto& param) { return param.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Diff,
    PatchRefused,
    testing::Values(
        Refused{"TwoFiles", kGood, kGoodDiff + "--- a/server/handoff/b.cc\n", ":11: a second file"},
        Refused{"TwoHunks", kGood, kGoodDiff + "@@ -90 +90 @@\n", ":11: a second hunk"},
        Refused{"Header",
                kGood,
                replaced(replaced(kDiff, "a/server/handoff/waker.cc", "a/server/handoff/waker.h"),
                         "b/server/handoff/waker.cc",
                         "b/server/handoff/waker.h"),
                ":4: patches server/handoff/waker.h, which is no .cc file"},
        Refused{"Rename",
                kGood,
                replaced(kDiff, "b/server/handoff/waker.cc", "b/server/other.cc"),
                ":5: renames"},
        Refused{"OutsideTheServer",
                kGood,
                replaced(replaced(kDiff, "a/server/handoff/waker.cc", "a/tests/waker.cc"),
                         "b/server/handoff/waker.cc",
                         "b/tests/waker.cc"),
                "is not a path under server/"},
        Refused{"ClimbsOut",
                kGood,
                replaced(replaced(kDiff, "a/server/handoff/waker.cc", "a/server/../waker.cc"),
                         "b/server/handoff/waker.cc",
                         "b/server/../waker.cc"),
                "is not a path under server/"},
        Refused{"NoGuardOnTheLine",
                kGood,
                replaced(kDiff, "  // guard: poke-forgotten", ""),
                ":8: the removed line does not end in '// guard: poke-forgotten'"},
        Refused{"OtherGuardOnTheLine",
                kGood,
                replaced(kDiff, "guard: poke-", "guard: push-"),
                ":8: the removed line carries guard 'push-forgotten'"},
        Refused{"SecondRemovedLine",
                kGood,
                replaced(kDiff, "   write();", "-  write();"),
                ":10: a second removed line"},
        Refused{"AddsElsewhere",
                kGood,
                replaced(kDiff, "   write();", "   write();\n+  more();"),
                "hunk longer than its header says"},
        Refused{"RemovesNothing",
                kGood,
                "--- a/server/handoff/waker.cc\n+++ b/server/handoff/waker.cc\n@@ -1 +1 @@\n x\n",
                ":6: the patch removes no line"},
        Refused{"WrongCounts",
                kGood,
                replaced(kDiff, "@@ -27,3 +27,3 @@", "@@ -27,9 +27,9 @@"),
                ":6: the hunk's line counts do not match"},
        Refused{
            "BadNumbers", kGood, replaced(kDiff, "@@ -27,3", "@@ -x,3"), ":6: bad line numbers"},
        Refused{"NoHunk",
                kGood,
                "--- a/server/handoff/waker.cc\n+++ b/server/handoff/waker.cc\n",
                "expected a hunk"}),
    [](const auto& param) { return param.param.name; });

TEST(PatchParser, FolderIsTheSourceFolder) {
  const std::string line = refusal(kHeader, kDiff, "sabotage/patches/http/poke-forgotten.patch");
  EXPECT_NE(line.find("belongs into sabotage/patches/handoff/"), std::string::npos) << line;
}

TEST(PatchParser, TheExplorerHasOneFolder) {
  const std::string diff =
      replaced(replaced(kDiff, "a/server/handoff/waker.cc", "a/ordering/explore/waker.cc"),
               "b/server/handoff/waker.cc",
               "b/ordering/explore/waker.cc");
  const std::string line = refusal(kHeader, diff, "sabotage/patches/explore/poke-forgotten.patch");
  EXPECT_NE(line.find("belongs into sabotage/patches/ordering/"), std::string::npos) << line;
}

TEST(PatchParser, AddedLinesFollowTheGuardedOneAtOnce) {
  const std::string diff =
      replaced(replaced(kDiff, "27,3 @@", "27,4 @@"), "   write();", "   write();\n+  more();");
  EXPECT_NE(refusal(kHeader, diff).find("an added line away from the guarded one"),
            std::string::npos);
}

TEST(PatchParser, TakesWhatGitWrites) {
  const std::string git =
      "diff --git a/server/handoff/waker.cc b/server/handoff/waker.cc\nindex 12..34 100644\n" +
      kGoodDiff;
  EXPECT_EQ(parse(kHeader, git).hunk.first_line, 27);
}

}  // namespace
}  // namespace overbite::sabotage
