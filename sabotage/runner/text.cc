#include "sabotage/runner/text.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <system_error>

#include "sabotage/runner/failure.h"

namespace overbite::sabotage {

namespace fs = std::filesystem;

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    if (end == std::string_view::npos) {
      break;
    }
    text.remove_prefix(end + 1);
  }
  return lines;
}

std::string counted(std::size_t count, std::string_view noun, std::string_view ending) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : ending);
}

std::string first_line(std::string_view text, std::size_t limit) {
  const std::string_view start = trim(text);
  const std::string_view line = trim(start.substr(0, start.find('\n')));
  std::string shown;
  for (const char c : line.substr(0, limit)) {
    const auto byte = static_cast<unsigned char>(c);
    shown += byte < 0x20 || byte == 0x7f ? fmt::format("\\x{:02x}", byte) : std::string(1, c);
  }
  return line.size() <= limit ? shown : shown + "...";
}

std::string last_lines(std::string_view text, std::size_t count, std::string_view indent) {
  const std::vector<std::string_view> lines = split_lines(text);
  std::string kept;
  for (std::size_t i = lines.size() - std::min(count, lines.size()); i < lines.size(); ++i) {
    kept.append(indent).append(lines[i]).append("\n");
  }
  return kept;
}

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw Failure(Exit::kInternal, "cannot read " + path.string());
  }
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

bool write_if_different(const fs::path& path, std::string_view text) {
  std::error_code missing;
  if (fs::file_size(path, missing) == text.size() && !missing && read_file(path) == text) {
    return false;
  }
  fs::create_directories(path.parent_path());
  const fs::path beside = path.string() + ".new" + std::to_string(::getpid());
  std::ofstream file(beside, std::ios::binary | std::ios::trunc);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (!file) {
    std::error_code ignored;  // the write has failed already; that is what gets reported
    fs::remove(beside, ignored);
    throw Failure(Exit::kInternal, "cannot write " + path.string());
  }
  fs::rename(beside, path);
  return true;
}

bool same_bytes(const fs::path& one, const fs::path& other) {
  return fs::exists(one) && fs::exists(other) && fs::file_size(one) == fs::file_size(other) &&
         read_file(one) == read_file(other);
}

}  // namespace overbite::sabotage
