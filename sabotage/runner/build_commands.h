// How the build compiles a source file and links a library, and the same commands for a variant.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sabotage/runner/library.h"

namespace overbite::sabotage {

// One entry of compile_commands.json.
struct CompileCommand {
  std::filesystem::path source;     // absolute
  std::string object;               // as the command names it, relative to `directory`
  std::filesystem::path directory;  // where the command runs
  std::vector<std::string> argv;
};

// Throws Failure(kInternal) naming the entry that cannot be understood.
std::vector<CompileCommand> parse_compile_database(std::string_view json);

// The shell command that compiles `copy` in place of the original into `object`: same flags, the
// original's folder first for quoted includes, warnings and debug information off (a broken guard
// may leave a variable unused, and paths in debug information would hide that a patch has no
// effect; so would the path in bitcode, so this one object is machine code where the others are
// linked as bitcode), dependencies into <object>.d.
std::string compile_variant(const CompileCommand& original,
                            const std::filesystem::path& copy,
                            const std::filesystem::path& object);

// The link command of one shared library.
struct LinkCommand {
  std::string text;               // shell text, run in the build directory
  std::set<std::string> objects;  // the .o files on it, as it names them
};

// Picks the link of a shared library out of `ninja -t commands`: the last line with -shared. Throws
// Failure(kInternal) if there is none, or if it hides its objects in a response file.
LinkCommand parse_link_command(std::string_view ninja_commands);

// The same link with some objects replaced, others added, and its output elsewhere.
std::string link_variant(const LinkCommand& original,
                         const std::map<std::string, std::string>& replaced,
                         const std::vector<std::string>& added,
                         const std::filesystem::path& output);

}  // namespace overbite::sabotage
