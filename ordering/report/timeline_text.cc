#include <fmt/format.h>

#include <algorithm>

#include "ordering/report/timeline.h"

namespace overbite::ordering {

namespace {

constexpr std::size_t kColumnMax = 76;
constexpr std::string_view kBold = "\033[1m";
constexpr std::string_view kDim = "\033[2m";
constexpr std::string_view kRed = "\033[31m";
constexpr std::string_view kPlain = "\033[0m";

std::string shortened(const std::string& text, std::size_t width) {
  return text.size() <= width ? text : text.substr(0, width - 3) + "...";
}

std::string painted(const std::string& text, std::string_view paint, bool colour) {
  return colour && !text.empty() ? fmt::format("{}{}{}", paint, text, kPlain) : text;
}

std::string without_trailing_blanks(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

// Threads without a row need no column.
std::vector<std::size_t> column_widths(const Timeline& timeline) {
  std::vector<std::size_t> widths(timeline.columns.size(), 0);
  for (const TimelineRow& row : timeline.rows) {
    const auto column = static_cast<std::size_t>(row.thread);
    widths[column] = std::max(
        {widths[column], timeline.columns[column].size(), std::min(row.text.size(), kColumnMax)});
  }
  return widths;
}

}  // namespace

std::string to_text(const Timeline& timeline, bool colour) {
  const std::vector<std::size_t> widths = column_widths(timeline);
  std::string head = "     ";
  for (std::size_t column = 0; column < widths.size(); ++column) {
    if (widths[column] != 0) {
      head += fmt::format("{:<{}}  ", timeline.columns[column], widths[column]);
    }
  }
  std::string out = painted(without_trailing_blanks(head), kBold, colour) + "\n";
  for (std::size_t i = 0; i < timeline.rows.size(); ++i) {
    const TimelineRow& row = timeline.rows[i];
    std::string line = fmt::format("{:>3}  ", i + 1);
    for (std::size_t column = 0; column < widths.size(); ++column) {
      if (widths[column] != 0) {
        const bool here = column == static_cast<std::size_t>(row.thread);
        line += fmt::format(
            "{:<{}}  ", here ? shortened(row.text, kColumnMax) : std::string(), widths[column]);
      }
    }
    const std::string note = row.note.empty() ? std::string() : "<- " + row.note;
    out += note.empty() ? without_trailing_blanks(line) : line + painted(note, kDim, colour);
    out += "\n";
  }
  if (timeline.left_out != 0) {
    out += fmt::format("     ({} events not shown)\n", timeline.left_out);
  }
  return out + painted("why: " + timeline.why, kRed, colour) + "\n";
}

}  // namespace overbite::ordering
