#include "ordering/report/source_lines.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <link.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <map>
#include <memory>
#include <string_view>

#include "ordering/runtime/symbols.h"

namespace overbite::ordering {

namespace {

constexpr std::array<const char*, 2> kSymbolizers = {"llvm-symbolizer-19", "llvm-symbolizer"};

// What a program prints; empty if it cannot be started.
std::string output_of(const std::vector<std::string>& arguments) {
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments) {
    argv.push_back(const_cast<char*>(argument.c_str()));
  }
  argv.push_back(nullptr);
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return {};
  }
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = -1;
  const int failed = ::posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  std::string out;
  std::array<char, 4096> buffer{};
  while (failed == 0) {
    const ssize_t got = ::read(ends[0], buffer.data(), buffer.size());
    if (got <= 0 && !(got < 0 && errno == EINTR)) {
      break;
    }
    out.append(buffer.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
  }
  ::close(ends[0]);
  if (failed == 0) {
    ::waitpid(child, nullptr, 0);
  }
  return out;
}

// Relative to the compiler's folder, or with "./" in front: what is ours is not absolute.
std::string from_the_root(std::string_view file) {
  while (file.starts_with("./") || file.starts_with("../")) {
    file.remove_prefix(file.find('/') + 1);
  }
  return std::string(file);
}

bool is_ours(std::string_view file) {
  return !file.empty() && file[0] != '/' && file[0] != '?' && !file.starts_with(".deps/");
}

// One frame is two lines: its function, and "file:line:column".
SourceLine to_source_line(std::string_view function, std::string_view place) {
  SourceLine result;
  const std::size_t column = place.rfind(':');
  const std::size_t line = column == std::string_view::npos ? column : place.rfind(':', column - 1);
  if (line == std::string_view::npos) {
    return result;
  }
  result.file = from_the_root(place.substr(0, line));
  for (const char digit : place.substr(line + 1, column - line - 1)) {
    result.line = result.line * 10 + (digit - '0');
  }
  // A lambda has no name that says anything.
  const bool lambda = function.find("operator()") != std::string_view::npos;
  result.function = lambda ? std::string() : shorten_function_name(std::string(function));
  return result;
}

// The innermost frame of ours, of all that were inlined at one address.
SourceLine parse_frames(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view function = text.substr(0, end);
    const std::size_t begin = end == std::string_view::npos ? text.size() : end + 1;
    const std::size_t stop = text.find('\n', begin);
    SourceLine line = to_source_line(function, text.substr(begin, stop - begin));
    if (is_ours(line.file) && line.line != 0) {
      return line;
    }
    text.remove_prefix(stop == std::string_view::npos ? text.size() : stop + 1);
  }
  return {};
}

std::set<const void*> code_of(const Execution& execution) {
  std::set<const void*> result;
  for (const Event& event : execution.events) {
    result.insert(event.op.pc);
  }
  for (const RaceAccess& access : execution.race) {
    result.insert(access.pc);
  }
  for (const MemorySite& site : execution.sites) {
    result.insert(site.pc);
  }
  result.erase(nullptr);
  return result;
}

// In the words of the symbolizer: the file and the offset in it, of the call before the address.
std::string symbolizer_input(const void* pc) {
  Dl_info info{};
  void* extra = nullptr;
  if (::dladdr1(pc, &info, &extra, RTLD_DL_LINKMAP) == 0 || info.dli_fname == nullptr) {
    return {};
  }
  const auto base = static_cast<const link_map*>(extra)->l_addr;
  return fmt::format(
      "CODE \"{}\" {:#x}", info.dli_fname, reinterpret_cast<std::uintptr_t>(pc) - base - 1);
}

using Lines = std::map<const void*, SourceLine>;

void ask_symbolizer(const std::vector<const void*>& asked,
                    const std::vector<std::string>& inputs,
                    Lines& lines) {
  for (const char* program : kSymbolizers) {
    std::vector<std::string> arguments = {program, "--inlines", "--output-style=LLVM"};
    arguments.insert(arguments.end(), inputs.begin(), inputs.end());
    const std::string out = output_of(arguments);
    if (out.empty()) {
      continue;
    }
    // An empty line ends each answer.
    std::string_view rest = out;
    for (const void* pc : asked) {
      const std::size_t end = rest.find("\n\n");
      lines[pc] = parse_frames(rest.substr(0, end));
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 2);
    }
    return;
  }
}

}  // namespace

std::string SourceLine::short_place() const {
  if (file.empty()) {
    return {};
  }
  const std::size_t slash = file.rfind('/');
  return fmt::format("{}:{}", slash == std::string::npos ? file : file.substr(slash + 1), line);
}

std::string SourceLine::place() const {
  return file.empty() ? std::string() : fmt::format("{}:{}", file, line);
}

SourceLookup source_lines_of(const Execution& execution) {
  return source_lines_of(code_of(execution));
}

SourceLookup source_lines_of(const std::set<const void*>& code) {
  auto lines = std::make_shared<Lines>();
  std::vector<const void*> asked;
  std::vector<std::string> inputs;
  for (const void* pc : code) {
    if (std::string input = symbolizer_input(pc); !input.empty()) {
      asked.push_back(pc);
      inputs.push_back(std::move(input));
    }
  }
  if (!asked.empty()) {
    ask_symbolizer(asked, inputs, *lines);
  }
  return [lines](const void* pc) {
    const auto found = lines->find(pc);
    SourceLine line = found == lines->end() ? SourceLine{} : found->second;
    if (line.function.empty() && line.file.empty() && pc != nullptr) {
      const std::string name = function_name(pc);
      // An offset into a file is no name.
      line.function = name.find("+0x") == std::string::npos && name != "?" ? name : std::string();
    }
    return line;
  };
}

}  // namespace overbite::ordering
