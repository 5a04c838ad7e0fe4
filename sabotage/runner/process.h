// Running one program with a time limit. Own code and not Boost.Process, because a killer must be
// judged by *how* it ended and leave nothing running: the child leads a process group of its own,
// which is swept whatever happens, and waiting is race-free (a pidfd; Linux 5.3).
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace overbite::sabotage {

struct Command {
  std::vector<std::string> argv;  // argv[0] is searched in PATH
  std::filesystem::path directory;
  std::map<std::string, std::string> environment;  // added to ours, or in place of it
  std::chrono::milliseconds limit{0};              // 0: none
};

struct Finished {
  enum class How { kExited, kSignalled, kTimedOut };

  How how = How::kExited;
  int code = 0;  // the exit code, or the signal; meaningless for kTimedOut
  std::string out;
  std::string err;
  double seconds = 0;

  bool ok() const { return how == How::kExited && code == 0; }
};

// Runs it to its end. At the limit the group gets SIGINT, so that pytest stops the servers it
// started, and a moment later SIGKILL. Any thread. Throws Failure(kInternal) when the program
// cannot be started and Failure(kInterrupted) after request_stop().
Finished run_process(const Command& command);

// Async-signal-safe: every run_process, running or yet to come, ends its child and throws.
void request_stop();

// "exit code 3", "signal 6 (Aborted)", "time limit".
std::string describe_end(const Finished& finished);

}  // namespace overbite::sabotage
