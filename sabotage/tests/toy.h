// The toy project of sabotage/tests/toy, copied and built once, and the runner started on it.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace overbite::sabotage::test {

// What the one patch of a case looks like; the guard is always "answer-wrong".
struct ToyPatch {
  std::string replacement;            // lines in place of the guarded one, each with its newline
  std::vector<std::string> killers;   // "<test> | <kind> | <text>"
  std::vector<std::string> controls;  // "<test>"
};

struct RunnerResult {
  int exit_code = 0;
  std::string out;
  std::string err;

  nlohmann::json json() const { return nlohmann::json::parse(out); }
  // Of the only patch in the output of `run --json`.
  std::string verdict() const { return json().at("patches").at(0).at("verdict"); }
  std::string detail() const { return json().at("patches").at(0).at("detail"); }
};

class Toy {
 public:
  // Copies the sources and builds base libraries and programs, the first time in this process.
  static Toy& built();

  // Takes all patches away, restores the sources.
  void reset();
  void write_patch(const ToyPatch& patch);
  // Writes `text` as sabotage/patches/<name>.
  void write_patch_file(const std::string& name, const std::string& text);
  // Replaces `from`, which must occur, in a file of the toy's sources.
  void edit(const std::string& file, const std::string& from, const std::string& to);

  // <prefix> overbite-sabotage <arguments>, with --build-dir, --source-dir and --python where not
  // given.
  RunnerResult runner(const std::vector<std::string>& arguments,
                      std::vector<std::string> prefix = {}) const;
  // The usual one: everything about the one patch, once.
  RunnerResult run() const { return runner({"run", "--json", "--baseline", "1", "--repeat", "2"}); }

  const std::filesystem::path& source_dir() const { return source_; }
  const std::filesystem::path& build_dir() const { return build_; }

 private:
  Toy();
  void copy_sources();
  void build();

  std::filesystem::path source_;
  std::filesystem::path build_;
};

}  // namespace overbite::sabotage::test
