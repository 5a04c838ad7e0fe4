// A patch file: a header that says which guard it breaks and which tests must notice, then a
// unified diff of that one line. sabotage/README.md shows the format.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace overbite::sabotage {

enum class TestType { kGtest, kPytest, kOrdering };

// One test, by the name its own program gives it.
struct TestName {
  TestType type = TestType::kGtest;
  std::string
      spec;  // as written: gtest:<binary>:<Suite.Case> | pytest:<path>::<test> | ordering:..
  std::string place;  // the gtest binary, the pytest file, the memory model of the explorer
  std::string test;   // Suite.Case, or what follows <path>::, or the scenario
};

// How the test must go red.
enum class KillKind {
  kAssert,    // the case itself fails: a gtest failure, pytest's call phase
  kCrash,     // the process ends by a signal
  kHang,      // the test does not end
  kScenario,  // the explorer finds an interleaving that breaks the scenario's promise
};

std::string_view kind_name(KillKind kind);

struct Killer {
  TestName name;
  KillKind kind = KillKind::kAssert;
  std::string text;  // must appear in what the test says; may be empty for kHang only
};

struct Hunk {
  int first_line = 0;  // where the diff says that old_lines starts; 1 is the file's first line
  std::vector<std::string> old_lines;
  std::size_t guarded = 0;  // index in old_lines of the line that is replaced
  std::vector<std::string> replacement;
};

struct Patch {
  std::filesystem::path file;      // the patch itself
  std::string id;                  // stem of `file` == the guard's id
  std::string harm;                // what a user sees when the guarded line is lost
  std::string origin;              // where the bug was seen; may be empty
  std::vector<Killer> killers;     // never empty; each must go red
  std::vector<TestName> controls;  // must stay green
  std::filesystem::path source;    // relative to the source directory
  Hunk hunk;
  std::string diff;  // as written
};

// Parses and validates everything that needs no other file. Throws Failure(kStale) with
// "<file>:<line>: <why>".
Patch parse_patch(const std::filesystem::path& file, std::string_view text);

// Throws Failure(kUsage) when `spec` is no test name.
TestName parse_test_name(std::string_view spec);

}  // namespace overbite::sabotage
