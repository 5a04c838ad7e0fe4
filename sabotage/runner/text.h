// Text and files, as the rest of the runner needs them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace overbite::sabotage {

// Without spaces, tabs, carriage returns and newlines at either end; a view into `text`.
std::string_view trim(std::string_view text);

// The lines of `text` without their newlines; a newline at the end opens no further line. Views.
std::vector<std::string_view> split_lines(std::string_view text);

// "1 patch", "2 patches": the ending makes the plural.
std::string counted(std::size_t count, std::string_view noun, std::string_view ending = "s");

// The first line of `text` that is not blank, trimmed, cut to `limit` bytes and with its control
// bytes escaped; for messages.
std::string first_line(std::string_view text, std::size_t limit = 160);

// The last lines of `text`, at most `count`, each indented by `indent`; for messages.
std::string last_lines(std::string_view text, std::size_t count, std::string_view indent);

// The whole file. Throws Failure(kInternal) naming the path when it cannot be read.
std::string read_file(const std::filesystem::path& path);

// Creates the directories on the way. Leaves an equal file alone, so that ninja sees no change;
// else writes beside it and renames, so that no reader meets half a file. True if it wrote.
bool write_if_different(const std::filesystem::path& path, std::string_view text);

// Both files exist and hold the same bytes.
bool same_bytes(const std::filesystem::path& one, const std::filesystem::path& other);

}  // namespace overbite::sabotage
