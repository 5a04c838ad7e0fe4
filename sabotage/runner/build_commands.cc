#include "sabotage/runner/build_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "sabotage/runner/failure.h"
#include "sabotage/runner/shell_words.h"
#include "sabotage/runner/text.h"

namespace overbite::sabotage {
namespace {

namespace fs = std::filesystem;

// Options about dependency files: the variant writes its own.
constexpr std::array<std::string_view, 3> kDependencyFlags = {"-MD", "-MMD", "-MP"};
constexpr std::array<std::string_view, 3> kDependencyFlagsWithValue = {"-MF", "-MT", "-MQ"};

std::string value_after(const std::vector<std::string>& argv, std::string_view flag) {
  const auto at = std::ranges::find(argv, flag);
  return at == argv.end() || at + 1 == argv.end() ? std::string() : *(at + 1);
}

CompileCommand parse_entry(const nlohmann::json& entry) {
  CompileCommand command;
  command.directory = entry.at("directory").get<std::string>();
  command.source = (command.directory / entry.at("file").get<std::string>()).lexically_normal();
  if (entry.contains("arguments")) {
    command.argv = entry.at("arguments").get<std::vector<std::string>>();
  } else {
    for (const ShellWord& word : shell_words(entry.at("command").get<std::string>())) {
      command.argv.push_back(word.value);
    }
  }
  command.object = value_after(command.argv, "-o");
  return command;
}

bool is_object(std::string_view word) { return word.ends_with(".o") && !word.starts_with('-'); }

}  // namespace

std::vector<CompileCommand> parse_compile_database(std::string_view json) {
  std::vector<CompileCommand> commands;
  std::size_t index = 0;
  try {
    for (const nlohmann::json& entry : nlohmann::json::parse(json)) {
      commands.push_back(parse_entry(entry));
      ++index;
    }
  } catch (const nlohmann::json::exception& error) {
    throw Failure(
        Exit::kInternal,
        fmt::format("compile_commands.json, entry {}: {}", index, first_line(error.what())));
  }
  return commands;
}

std::string compile_variant(const CompileCommand& original,
                            const fs::path& copy,
                            const fs::path& object) {
  std::vector<std::string> argv;
  bool source_replaced = false;
  for (std::size_t i = 0; i < original.argv.size(); ++i) {
    const std::string& word = original.argv[i];
    if (std::ranges::count(kDependencyFlagsWithValue, word) > 0 || word == "-o") {
      ++i;
    } else if (std::ranges::count(kDependencyFlags, word) > 0 || word.starts_with("-flto")) {
      continue;
    } else if ((original.directory / word).lexically_normal() == original.source) {
      source_replaced = true;  // it is named last, after the flags
    } else {
      argv.push_back(word);
    }
  }
  if (!source_replaced) {
    throw Failure(Exit::kInternal,
                  fmt::format("the compile command of {} does not name it: {}",
                              original.source.string(),
                              first_line(shell_join(original.argv))));
  }
  const auto last_c = std::ranges::find(argv, "-c");
  if (last_c != argv.end()) {
    argv.erase(last_c);
  }
  for (const std::string& word : {std::string("-w"),
                                  std::string("-g0"),
                                  std::string("-iquote"),
                                  original.source.parent_path().string(),
                                  std::string("-MD"),
                                  std::string("-MF"),
                                  object.string() + ".d",
                                  std::string("-o"),
                                  object.string(),
                                  std::string("-c"),
                                  copy.string()}) {
    argv.push_back(word);
  }
  return fmt::format("cd {} && {}", shell_quote(original.directory.string()), shell_join(argv));
}

LinkCommand parse_link_command(std::string_view ninja_commands) {
  LinkCommand link;
  std::vector<ShellWord> words;
  for (const std::string_view line : split_lines(ninja_commands)) {
    if (line.find(" -shared ") != std::string_view::npos) {
      link.text = line;
    }
  }
  if (link.text.empty()) {
    throw Failure(Exit::kInternal, "ninja reports no command that links a shared library");
  }
  for (const ShellWord& word : shell_words(link.text)) {
    if (word.value.starts_with('@')) {
      throw Failure(Exit::kInternal,
                    "the link command hides its objects in " + word.value +
                        ": configure with CMAKE_NINJA_FORCE_RESPONSE_FILE off");
    }
    if (is_object(word.value)) {
      link.objects.insert(word.value);
    }
  }
  return link;
}

std::string link_variant(const LinkCommand& original,
                         const std::map<std::string, std::string>& replaced,
                         const std::vector<std::string>& added,
                         const fs::path& output) {
  std::string text;
  std::size_t copied = 0;
  std::size_t replaced_count = 0;
  const auto substitute = [&](const ShellWord& word, const std::string& by) {
    text.append(original.text, copied, word.begin - copied).append(by);
    copied = word.end;
  };
  bool output_next = false;
  for (const ShellWord& word : shell_words(original.text)) {
    const auto replacement = replaced.find(word.value);
    if (output_next) {
      substitute(word, shell_quote(output.string()) + " " + shell_join(added));
    } else if (replacement != replaced.end()) {
      substitute(word, shell_quote(replacement->second));
      ++replaced_count;
    } else if (word.value.find("--dependency-file=") != std::string::npos) {
      substitute(word, "");  // it belongs to the original
    }
    output_next = word.value == "-o";
  }
  text.append(original.text, copied);
  if (replaced_count != replaced.size()) {
    throw Failure(Exit::kInternal, "an object to replace is not on the link command");
  }
  return text;
}

}  // namespace overbite::sabotage
