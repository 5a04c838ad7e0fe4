// Programs with a main of their own: a source, a shared object, or an executable that was linked
// with the explorer (liboverbite_ordering.so) in place of ThreadSanitizer.
#pragma once

#include <string>
#include <vector>

#include "ordering/scenario.h"
#include "server/base/result.h"

namespace overbite::ordering {

// "dir/file", or the ending of a source or a shared object: no name of a scenario.
bool is_program(const std::string& name);

struct LoadedProgram {
  Scenario scenario;
  std::string bare;  // a module of it that was not compiled with -fsanitize=thread; empty: none
};

// Compiles it if it is a source ($CC, $CXX, else clang-19, clang++-19, with -fsanitize=thread),
// loads it into this process, and makes a scenario of its main(): what it returns, unless 0, is a
// failure. `arguments` is what main gets behind its name. The scenario's body puts all variables of
// the program back first. One program a process: a second one is an error.
base::Result<LoadedProgram> load_program(const std::string& path,
                                         const std::vector<std::string>& arguments);

// While it lives, what the program prints to its standard output goes nowhere: it would come once
// for each execution.
class QuietOutput {
 public:
  explicit QuietOutput(bool quiet);
  ~QuietOutput();
  QuietOutput(const QuietOutput&) = delete;
  QuietOutput& operator=(const QuietOutput&) = delete;

 private:
  int saved_ = -1;
};

}  // namespace overbite::ordering
