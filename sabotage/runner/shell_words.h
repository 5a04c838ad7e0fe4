// Reading and changing the command lines that CMake and ninja report, which are shell text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace overbite::sabotage {

// One word of a command: what the shell would pass on, and where it stands in the text.
struct ShellWord {
  std::string value;
  std::size_t begin = 0;
  std::size_t end = 0;
};

// Splits at blanks outside quotes, as sh does; operators such as && come out as words. Understands
// single and double quotes and backslashes, which is all that CMake writes. Throws
// Failure(kInternal) at an open quote.
std::vector<ShellWord> shell_words(std::string_view command);

// `value` as one word of a shell command; untouched when nothing in it is special.
std::string shell_quote(std::string_view value);

std::string shell_join(const std::vector<std::string>& words);

}  // namespace overbite::sabotage
