#include "sabotage/runner/process.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <string>

#include "sabotage/runner/elf.h"
#include "sabotage/runner/failure.h"

namespace overbite::sabotage {
namespace {

using std::chrono::milliseconds;

Finished shell(const std::string& script, milliseconds limit = milliseconds(20000)) {
  return run_process({{"sh", "-c", script}, "/", {{"TOY", "value"}}, limit});
}

TEST(Process, KeepsBothStreamsAndTheExitCode) {
  const Finished finished = shell("echo $TOY; pwd; echo oops >&2; exit 3");
  EXPECT_EQ(finished.how, Finished::How::kExited);
  EXPECT_EQ(finished.code, 3);
  EXPECT_EQ(finished.out, "value\n/\n");
  EXPECT_EQ(finished.err, "oops\n");
}

TEST(Process, ReadsMoreThanAPipeHolds) {
  EXPECT_EQ(shell("head -c 1000000 /dev/zero").out.size(), 1000000U);
}

TEST(Process, TellsSignalsFromExitCodes) {
  const Finished finished = shell("kill -SEGV $$");
  EXPECT_EQ(finished.how, Finished::How::kSignalled);
  EXPECT_EQ(finished.code, SIGSEGV);
}

TEST(Process, TimeLimitEndsIt) {
  const Finished finished = shell("echo started; sleep 60", milliseconds(300));
  EXPECT_EQ(finished.how, Finished::How::kTimedOut);
  EXPECT_EQ(finished.out, "started\n");
  EXPECT_LT(finished.seconds, 10);
}

// A process that has ended counts as gone, whether or not somebody has reaped it.
bool is_running(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string stat;
  std::getline(file, stat);
  return !stat.empty() && stat.find(") Z ") == std::string::npos;
}

TEST(Process, NothingIsLeftRunning) {
  const Finished finished = shell("sleep 60 & echo $!");
  EXPECT_LT(finished.seconds, 10);
  const pid_t grandchild = std::atoi(finished.out.c_str());
  ASSERT_GT(grandchild, 0);
  for (int i = 0; i < 500 && is_running(grandchild); ++i) {
    ::usleep(10000);
  }
  EXPECT_FALSE(is_running(grandchild));
}

TEST(Process, MissingProgramIsNamed) {
  try {
    run_process({{"/nonexistent/program"}, {}, {}, {}});
    FAIL() << "started";
  } catch (const Failure& failure) {
    EXPECT_NE(std::string(failure.what()).find("/nonexistent/program"), std::string::npos);
  }
}

TEST(BuildId, OfAFileThatIsNoLibraryIsRefused) {
  EXPECT_THROW(read_build_id("/etc/passwd"), Failure);
  EXPECT_THROW(read_build_id("/nonexistent"), Failure);
}

}  // namespace
}  // namespace overbite::sabotage
