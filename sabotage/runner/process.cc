#include "sabotage/runner/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <utility>

#include "sabotage/runner/failure.h"

// POSIX wants the program to declare it.
extern char** environ;  // NOLINT

namespace overbite::sabotage {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kPollSlice{100};      // how late a request_stop() may be noticed
constexpr milliseconds kGrace{3000};         // from SIGINT to SIGKILL: pytest stops a server in 1 s
constexpr std::size_t kOutputMax = 8 << 20;  // bytes kept of each stream; the rest is read and lost

std::atomic<bool> stop_requested = false;

[[noreturn]] void fail_system(std::string_view what, int error) {
  throw Failure(Exit::kInternal, fmt::format("{}: {}", what, std::strerror(error)));  // NOLINT
}

class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  ~Fd() { close(); }

  int get() const { return fd_; }
  void reset(int fd) {
    close();
    fd_ = fd;
  }
  void close() {
    if (fd_ >= 0) {
      ::close(fd_);
      fd_ = -1;
    }
  }

 private:
  int fd_ = -1;
};

struct Pipe {
  Fd read_end;
  Fd write_end;

  Pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
      fail_system("pipe2", errno);
    }
    read_end.reset(ends[0]);
    write_end.reset(ends[1]);
    ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  }
};

// Appends what is there. False at the end of the stream.
bool drain(int fd, std::string& text) {
  std::array<char, 65536> buffer;
  while (true) {
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got > 0) {
      const std::size_t room = kOutputMax - std::min(kOutputMax, text.size());
      text.append(buffer.data(), std::min(room, static_cast<std::size_t>(got)));
    } else if (got == 0 || errno != EINTR) {
      return got < 0 && errno == EAGAIN;
    }
  }
}

std::vector<std::string> merged_environment(const std::map<std::string, std::string>& ours) {
  std::vector<std::string> merged;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    if (!ours.contains(std::string(text.substr(0, text.find('='))))) {
      merged.emplace_back(text);
    }
  }
  for (const auto& [name, value] : ours) {
    merged.push_back(name + "=" + value);
  }
  return merged;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> raw;
  for (std::string& word : words) {
    raw.push_back(word.data());
  }
  raw.push_back(nullptr);
  return raw;
}

pid_t spawn(const Command& command, const Pipe& out, const Pipe& err) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.write_end.get(), 1);
  posix_spawn_file_actions_adddup2(&actions, err.write_end.get(), 2);
  if (!command.directory.empty()) {
    posix_spawn_file_actions_addchdir_np(&actions, command.directory.c_str());
  }
  // A shell that starts us in the background has us ignore SIGINT; the child must not inherit that.
  sigset_t defaults;
  sigemptyset(&defaults);
  for (const int signal : {SIGINT, SIGTERM, SIGPIPE}) {
    sigaddset(&defaults, signal);
  }
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setpgroup(&attributes, 0);

  std::vector<std::string> argv = command.argv;
  std::vector<std::string> environment = merged_environment(command.environment);
  pid_t pid = 0;
  const int error = ::posix_spawnp(&pid,
                                   argv.front().c_str(),
                                   &actions,
                                   &attributes,
                                   pointers(argv).data(),
                                   pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) {
    fail_system("cannot start " + command.argv.front(), error);
  }
  return pid;
}

// By its number: <sys/pidfd.h> of glibc 2.36 declares pidfd_open without extern "C".
int open_pidfd(pid_t pid) { return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)); }

// A child that is not reaped yet, so that its process group's number cannot have been given away.
class Child {
 public:
  Child(const Command& command, const Pipe& out, const Pipe& err)
      : pid_(spawn(command, out, err)), pidfd_(open_pidfd(pid_)) {
    if (pidfd_.get() < 0) {
      const int error = errno;
      reap();
      fail_system("pidfd_open", error);
    }
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() { reap(); }

  int pidfd() const { return pidfd_.get(); }
  void signal_group(int signal) const { ::killpg(pid_, signal); }

  // Ends whatever is left of the group; the wait status is the leader's.
  int reap() {
    if (!reaped_) {
      signal_group(SIGKILL);
      while (::waitpid(pid_, &status_, 0) < 0 && errno == EINTR) {
      }
      reaped_ = true;
    }
    return status_;
  }

 private:
  pid_t pid_;
  Fd pidfd_;
  bool reaped_ = false;
  int status_ = 0;
};

// Whether a stop request ends the watching.
enum class OnStop { kReturn, kGoOn };

// Reads both streams until the child has ended or `until` has come; true if it has ended.
bool watch(const Child& child,
           Pipe& out,
           Pipe& err,
           Finished& finished,
           Clock::time_point until,
           OnStop on_stop) {
  while (Clock::now() < until) {
    const auto left = std::chrono::ceil<milliseconds>(until - Clock::now());
    std::array<pollfd, 3> waiting = {pollfd{child.pidfd(), POLLIN, 0},
                                     pollfd{out.read_end.get(), POLLIN, 0},
                                     pollfd{err.read_end.get(), POLLIN, 0}};
    const int slice = static_cast<int>(std::min(left, kPollSlice).count());
    if (::poll(waiting.data(), waiting.size(), slice) < 0 && errno != EINTR) {
      fail_system("poll", errno);
    }
    if (waiting[1].revents != 0 && !drain(out.read_end.get(), finished.out)) {
      out.read_end.close();  // poll ignores a negative descriptor
    }
    if (waiting[2].revents != 0 && !drain(err.read_end.get(), finished.err)) {
      err.read_end.close();
    }
    if (waiting[0].revents != 0) {
      return true;
    }
    if (on_stop == OnStop::kReturn && stop_requested.load()) {
      return false;
    }
  }
  return false;
}

}  // namespace

Finished run_process(const Command& command) {
  Finished finished;
  const Clock::time_point start = Clock::now();
  Pipe out;
  Pipe err;
  Child child(command, out, err);
  out.write_end.close();
  err.write_end.close();

  const bool limited = command.limit.count() > 0;
  const Clock::time_point until = limited ? start + command.limit : Clock::time_point::max();
  const bool ended = watch(child, out, err, finished, until, OnStop::kReturn);
  if (!ended) {
    child.signal_group(SIGINT);
    // Even when we are to stop: a test has servers of its own to end first.
    watch(child, out, err, finished, Clock::now() + kGrace, OnStop::kGoOn);
  }
  const int status = child.reap();
  // What the child wrote last may still lie in the pipes; a grandchild must not hold us up there.
  for (auto [fd, text] : {std::pair(out.read_end.get(), &finished.out),
                          std::pair(err.read_end.get(), &finished.err)}) {
    if (fd >= 0) {
      drain(fd, *text);
    }
  }
  if (stop_requested.load()) {
    throw Failure(Exit::kInterrupted, "interrupted");
  }
  finished.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  if (!ended) {
    finished.how = Finished::How::kTimedOut;
  } else if (WIFSIGNALED(status)) {
    finished.how = Finished::How::kSignalled;
    finished.code = WTERMSIG(status);
  } else {
    finished.code = WEXITSTATUS(status);
  }
  return finished;
}

void request_stop() { stop_requested.store(true); }

std::string describe_end(const Finished& finished) {
  switch (finished.how) {
    case Finished::How::kExited:
      return fmt::format("exit code {}", finished.code);
    case Finished::How::kSignalled:
      return fmt::format("signal {} ({})", finished.code, ::strsignal(finished.code));
    case Finished::How::kTimedOut:
      break;
  }
  return fmt::format("the time limit after {:.1f} s", finished.seconds);
}

}  // namespace overbite::sabotage
