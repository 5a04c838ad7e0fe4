// How the program ends, and the one exception of the runner: it never leaves this folder, because
// the runner is a program of one layer.
#pragma once

#include <stdexcept>
#include <string>

namespace overbite::sabotage {

// The process's exit code; the table a user reads is in sabotage/README.md and in --help.
enum class Exit {
  kAllBite = 0,      // every selected patch was killed as declared
  kUsage = 1,        // the command line, or a directory named on it
  kSurvivor = 2,     // a test stayed green with its guard broken, or the patch changes nothing
  kWrongReason = 3,  // red, but not as declared: other text, other kind, timeout, not every time
  kBaseline = 4,     // a named test is red without any patch
  kStale = 5,        // a patch, a guard and its tests no longer belong together
  kBuild = 6,        // a variant does not compile or link
  kInternal = 70,    // the measurement itself is not to be trusted (EX_SOFTWARE of sysexits.h)
  kInterrupted = 130,
};

// `what()` is one line that names what and where; it is shown to the user as it is.
class Failure : public std::runtime_error {
 public:
  Failure(Exit exit, const std::string& message) : std::runtime_error(message), exit_(exit) {}

  Exit exit() const { return exit_; }

 private:
  Exit exit_;
};

}  // namespace overbite::sabotage
