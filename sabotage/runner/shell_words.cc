#include "sabotage/runner/shell_words.h"

#include <algorithm>

#include "sabotage/runner/failure.h"
#include "sabotage/runner/text.h"

namespace overbite::sabotage {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n'; }

// Takes the word that starts at `at`, which is no blank.
ShellWord take_word(std::string_view command, std::size_t at) {
  ShellWord word{{}, at, at};
  char quote = 0;
  while (at < command.size() && (quote != 0 || !is_blank(command[at]))) {
    const char c = command[at++];
    if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == quote) {
      quote = 0;
    } else if (c == '\\' && quote != '\'' && at < command.size()) {
      const bool literal =
          quote == '"' && std::string_view("\"\\$`").find(command[at]) == std::string_view::npos;
      if (literal) {
        word.value += c;
      }
      word.value += command[at++];
    } else {
      word.value += c;
    }
  }
  if (quote != 0) {
    throw Failure(Exit::kInternal, "open quote in the command: " + first_line(command));
  }
  word.end = at;
  return word;
}

}  // namespace

std::vector<ShellWord> shell_words(std::string_view command) {
  std::vector<ShellWord> words;
  for (std::size_t at = 0; at < command.size();) {
    if (is_blank(command[at])) {
      ++at;
      continue;
    }
    words.push_back(take_word(command, at));
    at = words.back().end;
  }
  return words;
}

std::string shell_quote(std::string_view value) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-./=+,:@%^").find(c) != std::string_view::npos;
  };
  if (!value.empty() && std::ranges::all_of(value, plain)) {
    return std::string(value);
  }
  std::string quoted = "'";
  for (const char c : value) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string shell_join(const std::vector<std::string>& words) {
  std::string joined;
  for (const std::string& word : words) {
    joined.append(joined.empty() ? "" : " ").append(shell_quote(word));
  }
  return joined;
}

}  // namespace overbite::sabotage
