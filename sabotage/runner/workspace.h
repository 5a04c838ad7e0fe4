// Where things are: the source tree, which is only ever read, and the build directory, where
// everything the runner writes lies under sabotage/.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace overbite::sabotage {

struct Workspace {
  std::filesystem::path source_dir;  // absolute, links resolved
  std::filesystem::path build_dir;   // absolute, links resolved; empty if there is none
  std::filesystem::path python;      // the interpreter of the pytest killers

  std::filesystem::path patches_dir() const { return source_dir / "sabotage" / "patches"; }
  std::filesystem::path bin_dir() const { return build_dir / "bin"; }
  std::filesystem::path lib_dir() const { return build_dir / "lib"; }
  // Apart from what CMake keeps in <build>/sabotage itself.
  std::filesystem::path variants_dir() const { return build_dir / "sabotage" / "variants"; }
  std::filesystem::path state_dir() const { return build_dir / "sabotage" / "state"; }
};

// What the user said; empty paths are found out.
struct WorkspaceRequest {
  std::filesystem::path source_dir;
  std::filesystem::path build_dir;
  std::filesystem::path python;
};

// The build directory defaults to the one this program was built in, the source directory to the
// one that build is of (CMakeCache.txt), python to its OVERBITE_PYTHON, then to the bootstrapped
// environment's. Throws Failure(kUsage) naming the directory that is missing;
// `needs_build` says whether a missing build directory is one of them.
Workspace resolve_workspace(const WorkspaceRequest& request, bool needs_build);

// The value of `name` in the text of a CMakeCache.txt; empty if it has none.
std::string cache_value(std::string_view cache, std::string_view name);

// Holds <build>/sabotage/state/lock for as long as it lives: two runs must not write the same
// variants. The constructor waits for its turn.
class BuildLock {
 public:
  explicit BuildLock(const Workspace& workspace);
  BuildLock(const BuildLock&) = delete;
  BuildLock& operator=(const BuildLock&) = delete;
  ~BuildLock();

 private:
  int fd_;
};

// A directory of its own under <build>/sabotage/state/scratch, removed with all it holds.
class ScratchDirectory {
 public:
  explicit ScratchDirectory(const Workspace& workspace);
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  ~ScratchDirectory();

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace overbite::sabotage
