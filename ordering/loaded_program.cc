#include "ordering/loaded_program.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <link.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string_view>

#include "ordering/runtime/elf_file.h"
#include "ordering/runtime/process_image.h"

namespace overbite::ordering {

namespace {

namespace fs = std::filesystem;

constexpr const char* kCompilers[2][2] = {{"CC", "clang-19"}, {"CXX", "clang++-19"}};

bool is_c(const fs::path& path) { return path.extension() == ".c"; }
bool is_cc(const fs::path& path) {
  return path.extension() == ".cc" || path.extension() == ".cpp" || path.extension() == ".cxx";
}

// The exit status of a program that is looked for in PATH; -1: it could not be run.
int run(const std::vector<std::string>& words) {
  std::vector<char*> argv;
  for (const std::string& word : words) {
    argv.push_back(const_cast<char*>(word.c_str()));
  }
  argv.push_back(nullptr);
  pid_t child = -1;
  int status = 0;
  if (::posix_spawnp(&child, argv[0], nullptr, nullptr, argv.data(), environ) != 0 ||
      ::waitpid(child, &status, 0) != child) {
    return -1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Removed when the process ends.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "overbite-order.XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) {
      path_ = name;
    }
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// Where compiled and changed programs go.
const fs::path& folder() {
  static const Folder folder;
  return folder.path();
}

base::Result<fs::path> compile(const fs::path& source) {
  const auto& [variable, usual] = kCompilers[is_c(source) ? 0 : 1];
  const char* const chosen = std::getenv(variable);
  const std::string compiler = chosen != nullptr && *chosen != '\0' ? chosen : usual;
  const fs::path out = folder() / source.stem().concat(".so");
  const std::string from = fs::absolute(source).parent_path().string();
  // Not optimised: the instrumentation runs behind the optimiser, which drops what only the program
  // itself could see.
  std::vector<std::string> command = {compiler,
                                      "-shared",
                                      "-fPIC",
                                      "-fsanitize=thread",
                                      "-O0",
                                      "-g",
                                      "-pthread",
                                      "-fno-omit-frame-pointer",
                                      "-fdebug-compilation-dir=.",
                                      "-fdebug-prefix-map=" + from + "/=",
                                      is_c(source) ? "-std=gnu17" : "-std=gnu++20"};
  const char* const flags = std::getenv(is_c(source) ? "CFLAGS" : "CXXFLAGS");
  std::istringstream words(flags != nullptr ? flags : "");
  for (std::string word; words >> word;) {
    command.push_back(word);
  }
  command.insert(command.end(), {"-o", out.string(), fs::absolute(source).string()});
  const int status = run(command);
  if (status != 0) {
    return base::Error{status < 0 || status == 127
                           ? fmt::format("cannot run {} (${} names another)", compiler, variable)
                           : fmt::format("{} does not compile", source.string())};
  }
  return out;
}

// What the loader can load beside this program.
base::Result<fs::path> loadable(const fs::path& path) {
  if (is_c(path) || is_cc(path)) {
    return compile(path);
  }
  ElfFile file(path.string());
  if (!file.is_whole()) {
    return base::Error{path.string() +
                       ": neither a source (.c, .cc, .cpp, .cxx) nor a whole ELF file"};
  }
  if (file.brings_runtime()) {
    return base::Error{path.string() +
                       ": linked with ThreadSanitizer's own runtime: leave "
                       "-fsanitize=thread off the link line"};
  }
  if (file.is_fixed_program()) {
    return base::Error{path.string() +
                       ": at a fixed address: compile it with -fPIE, link with -pie"};
  }
  if (!file.clear_program_mark()) {
    return path;
  }
  fs::path copy = folder() / path.filename();
  if (!file.write(copy.string())) {
    return base::Error{"cannot write " + copy.string()};
  }
  return copy;
}

// Also in a program that exports nothing.
void* find_main(void* handle, const fs::path& path) {
  void* found = ::dlsym(handle, "main");
  if (found == nullptr) {
    const auto* const map = static_cast<const link_map*>(handle);
    ElfFile(path.string())
        .for_symbols(STT_FUNC, [&](std::uintptr_t value, std::size_t, const char* name) {
          if (std::string_view(name) == "main") {
            found = reinterpret_cast<void*>(map->l_addr + value);
          }
        });
  }
  return found;
}

}  // namespace

bool is_program(const std::string& name) {
  const fs::path path(name);
  return name.find('/') != std::string::npos || is_c(path) || is_cc(path) ||
         path.extension() == ".so";
}

base::Result<LoadedProgram> load_program(const std::string& path,
                                         const std::vector<std::string>& arguments) {
  static std::vector<std::string> words;
  static std::vector<char*> argv;
  if (!words.empty()) {
    return base::Error{"one program at a time: run overbite-order once for each"};
  }
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) {
    return base::Error{path + ": no such file"};
  }
  if (folder().empty()) {
    return base::Error{"cannot make a temporary folder"};
  }
  const auto object = loadable(path);
  if (!object) {
    return base::Error{object.error()};
  }
  ProcessImage& image = ProcessImage::shared();
  image.begin();
  void* const handle = ::dlopen(fs::absolute(object.value()).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return base::Error{fmt::format("cannot load {}: {}", path, ::dlerror())};
  }
  using Main = int (*)(int, char**, char**);
  const auto entry = reinterpret_cast<Main>(find_main(handle, object.value()));
  if (entry == nullptr) {
    return base::Error{path + ": has no main()"};
  }
  const std::vector<std::string> bare = image.add_loaded();
  words = {path};
  words.insert(words.end(), arguments.begin(), arguments.end());
  for (std::string& word : words) {
    argv.push_back(word.data());
  }
  argv.push_back(nullptr);
  const auto body = [entry] {
    run_program(entry, static_cast<int>(words.size()), argv.data(), environ);
  };
  return LoadedProgram{{words[0].c_str(), "its main() returns 0", body},
                       bare.empty() ? std::string() : bare.front()};
}

QuietOutput::QuietOutput(bool quiet) {
  std::fflush(stdout);
  const int nowhere = quiet ? ::open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;
  if (nowhere >= 0) {
    saved_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    ::dup2(nowhere, STDOUT_FILENO);
    ::close(nowhere);
  }
}

QuietOutput::~QuietOutput() {
  std::fflush(stdout);
  if (saved_ >= 0) {
    ::dup2(saved_, STDOUT_FILENO);
    ::close(saved_);
  }
}

}  // namespace overbite::ordering
