#include "sabotage/tests/toy.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "sabotage/runner/process.h"
#include "sabotage/runner/text.h"

namespace overbite::sabotage::test {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kGuardedLine = "  value += 2;  // guard: answer-wrong";
constexpr std::string_view kBefore = "  int value = 40;";
constexpr int kFirstLine = 30;  // of the hunk: the line before the guarded one

// The graph CMake would write, as far as the runner looks at it.
constexpr std::string_view kNinja = R"(ninja_required_version = 1.10
flags = -std=c++20 -O1 -fPIC -Wall -Werror -I{source} -I{repository}
link = -fuse-ld=lld -Wl,--build-id=sha1
rule cxx
  command = {compiler} $flags $more -MD -MT $out -MF $out.d -o $out -c $in
  deps = gcc
  depfile = $out.d
rule shared
  command = : && {compiler} -shared $link -Wl,-soname,$soname -o $out $in && :
rule program
  command = : && {compiler} $link $dtags -Wl,-rpath,{build}/lib -o $out $in && :
build obj/answer.o: cxx {source}/server/toy/answer.cc
build obj/answer_ordering.o: cxx {source}/server/toy/answer.cc
  more = -DTOY_ORDERING
build lib/liboverbite_server.so: shared obj/answer.o
  soname = liboverbite_server.so
build lib/liboverbite_handoff_ordering.so: shared obj/answer_ordering.o
  soname = liboverbite_handoff_ordering.so
build obj/gtest_main.o: cxx {repository}/tests/support/gtest_main.cc
build obj/loaded.o: cxx {repository}/tests/support/loaded_library.cc
build obj/answer_test.o: cxx {source}/tests/answer_test.cc
build obj/serve.o: cxx {source}/programs/serve.cc
build obj/order.o: cxx {source}/programs/order.cc
build bin/answer_test: program obj/answer_test.o obj/gtest_main.o obj/loaded.o lib/liboverbite_server.so
  link = $link -lgtest
  dtags = -Wl,--enable-new-dtags
build bin/deaf_test: program obj/answer_test.o obj/gtest_main.o obj/loaded.o lib/liboverbite_server.so
  link = $link -lgtest
  dtags = -Wl,--disable-new-dtags
build bin/overbite-serve: program obj/serve.o obj/loaded.o lib/liboverbite_server.so
  dtags = -Wl,--enable-new-dtags
build bin/overbite-order: program obj/order.o obj/loaded.o lib/liboverbite_handoff_ordering.so
  dtags = -Wl,--enable-new-dtags
)";

Finished must_run(const std::vector<std::string>& argv) {
  Finished finished = run_process({argv, {}, {}, std::chrono::minutes(5)});
  if (!finished.ok()) {
    throw std::runtime_error(argv.front() + ": " + finished.out + finished.err);
  }
  return finished;
}

}  // namespace

Toy& Toy::built() {
  static Toy toy;
  return toy;
}

Toy::Toy()
    : source_(fs::path(TOY_DIRECTORY) / "source"), build_(fs::path(TOY_DIRECTORY) / "build") {
  fs::remove_all(build_ / "sabotage");
  copy_sources();
  build();
}

void Toy::copy_sources() {
  const fs::path origin = fs::path(TOY_REPOSITORY) / "sabotage" / "tests" / "toy";
  for (const fs::directory_entry& item : fs::recursive_directory_iterator(origin)) {
    const fs::path relative = item.path().lexically_relative(origin);
    if (item.is_regular_file() && item.path().extension() != ".pyc") {
      write_if_different(source_ / relative, read_file(item.path()));
    }
  }
}

void Toy::build() {
  std::string ninja(kNinja);
  for (const auto& [name, value] : {std::pair<std::string, std::string>("{source}", source_),
                                    {"{build}", build_},
                                    {"{repository}", TOY_REPOSITORY},
                                    {"{compiler}", TOY_COMPILER}}) {
    for (std::size_t at = ninja.find(name); at != std::string::npos; at = ninja.find(name, at)) {
      ninja.replace(at, name.size(), value);
    }
  }
  write_if_different(build_ / "build.ninja", ninja);
  const Finished database = must_run({"ninja", "-C", build_.string(), "-t", "compdb", "cxx"});
  const std::size_t start = database.out.find('[');  // ninja says first which directory it entered
  write_if_different(build_ / "compile_commands.json", database.out.substr(start));
  must_run({"ninja", "-C", build_.string()});
}

void Toy::reset() {
  fs::remove_all(source_ / "sabotage");
  copy_sources();
}

void Toy::write_patch(const ToyPatch& patch) {
  std::string text = "guard: answer-wrong\nharm: whoever asks gets a wrong answer\n";
  for (const std::string& killer : patch.killers) {
    text += "killer: " + killer + "\n";
  }
  for (const std::string& control : patch.controls) {
    text += "control: " + control + "\n";
  }
  const std::vector<std::string_view> lines = split_lines(patch.replacement);
  text +=
      fmt::format("--- a/server/toy/answer.cc\n+++ b/server/toy/answer.cc\n@@ -{0},2 +{0},{1} @@\n",
                  kFirstLine,
                  lines.size() + 1);
  text += fmt::format(" {}\n-{}\n", kBefore, kGuardedLine);
  for (const std::string_view line : lines) {
    text += fmt::format("+{}\n", line);
  }
  write_patch_file("toy/answer-wrong.patch", text);
}

void Toy::write_patch_file(const std::string& name, const std::string& text) {
  write_if_different(source_ / "sabotage" / "patches" / name, text);
}

void Toy::edit(const std::string& file, const std::string& from, const std::string& to) {
  std::string text = read_file(source_ / file);
  const std::size_t at = text.find(from);
  if (at == std::string::npos) {
    throw std::runtime_error(file + " does not hold: " + from);
  }
  write_if_different(source_ / file, text.replace(at, from.size(), to));
}

RunnerResult Toy::runner(const std::vector<std::string>& arguments,
                         std::vector<std::string> prefix) const {
  Command command{std::move(prefix), {}, {}, std::chrono::minutes(5)};
  command.argv.emplace_back(TOY_RUNNER);
  command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
  for (const auto& [option, value] : {std::pair<std::string, std::string>("--build-dir", build_),
                                      {"--source-dir", source_},
                                      {"--python", TOY_PYTHON}}) {
    if (std::ranges::count(arguments, option) == 0) {
      command.argv.insert(command.argv.end(), {option, value});
    }
  }
  command.environment["TOY_FLIP_FILE"] = (build_ / "flip").string();
  const Finished finished = run_process(command);
  EXPECT_EQ(finished.how, Finished::How::kExited) << describe_end(finished);
  return {finished.code, finished.out, finished.err};
}

}  // namespace overbite::sabotage::test
