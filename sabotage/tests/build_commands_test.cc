#include "sabotage/runner/build_commands.h"

#include <gtest/gtest.h>

#include "sabotage/runner/failure.h"
#include "sabotage/runner/shell_words.h"

namespace overbite::sabotage {
namespace {

constexpr std::string_view kDatabase = R"([{
  "directory": "/b",
  "command": "ccache clang++ -DNAME=\\\"x\\ y\\\" -I/s -O1 -g1 -MD -MT a.o -MF a.o.d -o d/a.cc.o -c /s/server/a.cc",
  "file": "/s/server/a.cc", "output": "d/a.cc.o"}])";

TEST(CompileCommand, IsReadFromTheDatabase) {
  const std::vector<CompileCommand> commands = parse_compile_database(kDatabase);
  ASSERT_EQ(commands.size(), 1U);
  EXPECT_EQ(commands[0].source, "/s/server/a.cc");
  EXPECT_EQ(commands[0].object, "d/a.cc.o");
  EXPECT_EQ(commands[0].argv[2], "-DNAME=\"x y\"");
}

TEST(CompileCommand, OfAVariantReplacesSourceAndObject) {
  const CompileCommand original = parse_compile_database(kDatabase)[0];
  EXPECT_EQ(
      compile_variant(original, "/b/v/a.cc", "/b/v/a.o"),
      "cd /b && ccache clang++ '-DNAME=\"x y\"' -I/s -O1 -g1 -w -g0 -iquote /s/server -MD -MF "
      "/b/v/a.o.d -o /b/v/a.o -c /b/v/a.cc");
}

// Bitcode names the file it was made of, so that no patch would be without effect.
TEST(CompileCommand, OfAVariantMakesMachineCode) {
  CompileCommand original = parse_compile_database(kDatabase)[0];
  const std::string plain = compile_variant(original, "/b/v/a.cc", "/b/v/a.o");
  original.argv.insert(original.argv.begin() + 2, "-flto=thin");
  EXPECT_EQ(compile_variant(original, "/b/v/a.cc", "/b/v/a.o"), plain);
}

TEST(CompileCommand, BrokenDatabaseNamesItsEntry) {
  try {
    parse_compile_database(R"([{"directory": "/b", "file": "a.cc"}])");
    FAIL() << "accepted";
  } catch (const Failure& failure) {
    EXPECT_TRUE(std::string(failure.what()).starts_with("compile_commands.json, entry 0: "))
        << failure.what();
  }
}

constexpr std::string_view kCommands =
    "clang++ -o d/a.cc.o -c /s/a.cc\n"
    ": && /usr/bin/clang++ -fPIC -shared -Wl,-soname,liba.so -o lib/liba.so d/a.cc.o 'd/b c.o' "
    "-lfmt -Wl,--dependency-file=d/link.d && :\n";

TEST(LinkCommand, IsTheLastSharedOne) {
  const LinkCommand link = parse_link_command(kCommands);
  EXPECT_EQ(link.objects, (std::set<std::string>{"d/a.cc.o", "d/b c.o"}));
}

TEST(LinkCommand, OfAVariantReplacesObjectsAndOutput) {
  const LinkCommand link = parse_link_command(kCommands);
  EXPECT_EQ(link_variant(link, {{"d/b c.o", "/v/b.o"}}, {"/v/canary.o"}, "/v/lib/liba.so"),
            ": && /usr/bin/clang++ -fPIC -shared -Wl,-soname,liba.so -o /v/lib/liba.so /v/canary.o "
            "d/a.cc.o /v/b.o -lfmt  && :");
  EXPECT_THROW(link_variant(link, {{"d/gone.o", "x"}}, {}, "/v/liba.so"), Failure);
}

TEST(LinkCommand, ThatHidesItsObjectsIsRefused) {
  EXPECT_THROW(parse_link_command("clang++ -shared -o liba.so @liba.rsp\n"), Failure);
  EXPECT_THROW(parse_link_command("clang++ -o d/a.cc.o -c /s/a.cc\n"), Failure);
}

TEST(ShellWords, UnderstandQuotes) {
  std::vector<std::string> values;
  for (const ShellWord& word : shell_words(R"(a 'b  c' "d\"e\f" g\ h ''  i)")) {
    values.push_back(word.value);
  }
  EXPECT_EQ(values, (std::vector<std::string>{"a", "b  c", "d\"e\\f", "g h", "", "i"}));
  EXPECT_THROW(shell_words("a 'b"), Failure);
}

TEST(ShellWords, QuoteIsReadBackAsOneWord) {
  for (const char* text : {"", "plain", "a b", "it's", "$HOME", "a\"b", "*"}) {
    const std::vector<ShellWord> words = shell_words(shell_quote(text));
    ASSERT_EQ(words.size(), 1U) << text;
    EXPECT_EQ(words[0].value, text);
  }
}

}  // namespace
}  // namespace overbite::sabotage
