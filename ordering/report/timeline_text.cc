#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "ordering/report/timeline.h"

namespace overbite::ordering {

namespace {

constexpr std::size_t kColumnMax = 64;
constexpr std::size_t kNumberWidth = 5;
constexpr std::string_view kIndent = "  ";  // of a cell's second line
constexpr std::size_t kLineMax = 110;
constexpr std::string_view kBold = "\033[1m";
constexpr std::string_view kDim = "\033[2m";
constexpr std::string_view kRed = "\033[31m";
constexpr std::string_view kPlain = "\033[0m";

std::string painted(const std::string& text, std::string_view paint, bool colour) {
  return colour && !text.empty() && !paint.empty() ? fmt::format("{}{}{}", paint, text, kPlain)
                                                   : text;
}

// Lines of words, with all but the first indented.
std::string wrapped(const std::string& text, std::size_t width) {
  std::string out;
  std::size_t column = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::size_t length = end - at;
    if (column != 0 && column + 1 + length > width) {
      out += "\n     ";
      column = 5;
    } else if (column != 0) {
      out += ' ';
      ++column;
    }
    out.append(text, at, length);
    column += length;
    at = end + 1;
  }
  return out;
}

std::string without_trailing_blanks(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

// "Ring::push: tail := 2  x14", in lines that are not too long.
std::vector<std::string> cell_of(const TimelineRow& row) {
  std::string rest = row.function.empty() ? row.text : row.function + ": " + row.text;
  if (row.times > 1 && row.period == 1) {
    rest += fmt::format("  x{}", row.times);
  }
  std::vector<std::string> lines;
  while (rest.size() > kColumnMax) {
    const std::size_t blank = rest.rfind(' ', kColumnMax);
    const bool none = blank == std::string::npos || blank < kIndent.size() + 1;
    const std::size_t end = none ? kColumnMax : blank;
    lines.push_back(rest.substr(0, end));
    rest = std::string(kIndent) + rest.substr(none ? end : end + 1);
  }
  lines.push_back(std::move(rest));
  return lines;
}

// Threads without a row need no column.
std::vector<std::size_t> column_widths(const Timeline& timeline) {
  std::vector<std::size_t> widths(timeline.columns.size(), 0);
  for (const TimelineRow& row : timeline.rows) {
    const auto column = static_cast<std::size_t>(row.thread);
    widths[column] = std::max(widths[column], timeline.columns[column].size());
    for (const std::string& line : cell_of(row)) {
      widths[column] = std::max(widths[column], line.size());
    }
  }
  return widths;
}

std::size_t place_width(const Timeline& timeline) {
  std::size_t width = 0;
  for (const TimelineRow& row : timeline.rows) {
    width = std::max(width, row.place.size());
  }
  return width;
}

// Where the cell of a thread begins.
std::size_t offset_of(const std::vector<std::size_t>& widths, std::size_t column) {
  std::size_t offset = kNumberWidth;
  for (std::size_t i = 0; i < column; ++i) {
    offset += widths[i] != 0 ? widths[i] + 2 : 0;
  }
  return offset;
}

std::string note_of(const TimelineRow& row, std::size_t index) {
  std::string note = row.note.empty() ? std::string() : "<- " + row.note;
  if (row.times > 1 && row.period > 1) {
    note += fmt::format("{}(rows {}-{} x{})",
                        note.empty() ? "" : " ",
                        index + 2 - row.period,
                        index + 1,
                        row.times);
  }
  return note;
}

std::string lines_of(const Timeline& timeline,
                     std::size_t index,
                     const std::vector<std::size_t>& widths,
                     bool colour) {
  const TimelineRow& row = timeline.rows[index];
  const std::string_view paint = row.weak ? kRed : std::string_view();
  const std::size_t offset = offset_of(widths, static_cast<std::size_t>(row.thread));
  const std::size_t end = offset_of(widths, widths.size());
  const std::vector<std::string> cell = cell_of(row);
  std::string out;
  for (std::size_t i = 0; i < cell.size(); ++i) {
    std::string line = i == 0 ? fmt::format("{:>3}  ", index + 1) : std::string(kNumberWidth, ' ');
    line += std::string(offset - kNumberWidth, ' ') + painted(cell[i], paint, colour);
    if (i == 0) {
      line += std::string(end - offset - cell[i].size(), ' ') + painted(row.place, kDim, colour) +
              std::string(place_width(timeline) - row.place.size() + 2, ' ') +
              painted(note_of(row, index), kDim, colour);
    }
    out += without_trailing_blanks(std::move(line)) + "\n";
  }
  return out;
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
    out += lines_of(timeline, i, widths, colour);
  }
  if (timeline.left_out != 0) {
    out += fmt::format("     ({} events not shown)\n", timeline.left_out);
  }
  out += painted("failure: " + timeline.failure, kRed, colour) + "\n";
  return timeline.why.empty() ? out : out + wrapped("why: " + timeline.why, kLineMax) + "\n";
}

}  // namespace overbite::ordering
