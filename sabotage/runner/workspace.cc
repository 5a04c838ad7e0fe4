#include "sabotage/runner/workspace.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "sabotage/runner/failure.h"
#include "sabotage/runner/text.h"

namespace overbite::sabotage {
namespace {

namespace fs = std::filesystem;

bool is_build_dir(const fs::path& path) { return fs::exists(path / "compile_commands.json"); }

fs::path find_build_dir(const fs::path& requested, bool needed) {
  if (!requested.empty()) {
    if (is_build_dir(requested)) {
      return fs::canonical(requested);
    }
    if (!needed) {
      return {};
    }
    throw Failure(Exit::kUsage,
                  requested.string() + " is no build directory: no compile_commands.json in it");
  }
  // <build>/bin/overbite-sabotage
  const fs::path own = fs::read_symlink("/proc/self/exe").parent_path().parent_path();
  if (is_build_dir(own)) {
    return own;
  }
  if (needed) {
    throw Failure(Exit::kUsage, "no build directory: say which with --build-dir");
  }
  return {};
}

}  // namespace

std::string cache_value(std::string_view cache, std::string_view name) {
  for (const std::string_view line : split_lines(cache)) {
    const std::size_t equals = line.find('=');
    if (line.starts_with(name) && equals != std::string_view::npos &&
        line.substr(name.size()).starts_with(':')) {
      return std::string(trim(line.substr(equals + 1)));
    }
  }
  return {};
}

Workspace resolve_workspace(const WorkspaceRequest& request, bool needs_build) {
  Workspace workspace;
  workspace.build_dir = find_build_dir(request.build_dir, needs_build);
  const fs::path cache_file = workspace.build_dir / "CMakeCache.txt";
  const bool has_cache = !workspace.build_dir.empty() && fs::exists(cache_file);
  const std::string cache = has_cache ? read_file(cache_file) : "";

  fs::path source = request.source_dir;
  if (source.empty()) {
    source = cache_value(cache, "CMAKE_HOME_DIRECTORY");
  }
  if (source.empty()) {
    source = fs::current_path();
  }
  if (!fs::is_directory(source / "server")) {
    throw Failure(Exit::kUsage,
                  source.string() + " is no source directory: no server/ in it (--source-dir)");
  }
  workspace.source_dir = fs::canonical(source);

  workspace.python = request.python;
  if (workspace.python.empty()) {
    workspace.python = cache_value(cache, "OVERBITE_PYTHON");
  }
  if (workspace.python.empty()) {
    workspace.python = workspace.source_dir / ".deps" / "venv" / "bin" / "python";
  }
  return workspace;
}

BuildLock::BuildLock(const Workspace& workspace) {
  const fs::path path = workspace.state_dir() / "lock";
  fs::create_directories(path.parent_path());
  fd_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (fd_ < 0) {
    throw Failure(Exit::kInternal, "cannot open " + path.string());
  }
  while (::flock(fd_, LOCK_EX) != 0) {
    if (errno != EINTR) {
      ::close(fd_);
      throw Failure(Exit::kInternal, "cannot lock " + path.string());
    }
  }
}

BuildLock::~BuildLock() { ::close(fd_); }

ScratchDirectory::ScratchDirectory(const Workspace& workspace) {
  const fs::path parent = workspace.state_dir() / "scratch";
  fs::create_directories(parent);
  std::string name = (parent / "run-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    throw Failure(Exit::kInternal, "cannot create a directory in " + parent.string());
  }
  path_ = name;
}

ScratchDirectory::~ScratchDirectory() {
  std::error_code ignored;  // nothing sensible is left to do; the next build sweeps what is here
  fs::remove_all(path_, ignored);
}

}  // namespace overbite::sabotage
