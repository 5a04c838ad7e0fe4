#include "ordering/report/replay_string.h"

#include <fmt/format.h>

#include <algorithm>

namespace overbite::ordering {

namespace {

// Crockford's base 32: no i, l, o, u.
constexpr std::string_view kDigits = "0123456789abcdefghjkmnpqrstvwxyz";
constexpr std::uint32_t kMore = 16;  // of a 5-bit digit: another one follows

void append_number(std::string& out, std::size_t number) {
  while (number >= kMore) {
    out += kDigits[(number % kMore) + kMore];
    number /= kMore;
  }
  out += kDigits[number];
}

// Reads digits from a text; after the first error `at` stays where it was.
struct Reader {
  std::string_view text;
  std::size_t at = 0;
  bool failed = false;

  std::uint32_t digit() {
    const std::size_t value = at < text.size() ? kDigits.find(text[at]) : std::string_view::npos;
    if (failed || value == std::string_view::npos) {
      failed = true;
      return 0;
    }
    ++at;
    return static_cast<std::uint32_t>(value);
  }
  std::size_t number() {
    std::size_t result = 0;
    for (unsigned shift = 0; shift < 32; shift += 4) {
      const std::uint32_t next = digit();
      result |= std::size_t{next % kMore} << shift;
      if (next < kMore) {
        return result;
      }
    }
    failed = true;
    return 0;
  }
};

bool is_same_block(const Step& a, const Step& b) {
  return a.thread == b.thread && a.choice == b.choice && a.skipped == b.skipped;
}

base::Error wrong_at(const Reader& reader) {
  return {fmt::format("not a replay string: character {} is wrong", reader.at + 1)};
}

}  // namespace

std::string to_replay_string(const std::vector<Step>& steps) {
  std::string out = "3";
  for (std::size_t i = 0; i < steps.size();) {
    std::size_t end = i + 1;
    while (end < steps.size() && is_same_block(steps[i], steps[end])) {
      ++end;
    }
    // The thread, and whether anything but its number follows.
    const bool plain = steps[i].choice == 0 && steps[i].skipped == 0;
    append_number(out, 2 * static_cast<std::size_t>(steps[i].thread) + (plain ? 0 : 1));
    if (!plain) {
      append_number(out, static_cast<std::size_t>(steps[i].choice));
      append_number(out, static_cast<std::size_t>(steps[i].skipped));
    }
    append_number(out, end - i);
    i = end;
  }
  out += '.';
  for (const Step& step : steps) {
    out += kDigits[step.signature & kReplaySignatureMask];
  }
  return out;
}

base::Result<std::vector<Step>> parse_replay_string(std::string_view text) {
  if (text.empty() || text[0] != '3') {
    return base::Error{"not a replay string: it does not begin with 3, the version"};
  }
  // Longer than any run: a damaged length must not fill the memory.
  constexpr std::size_t kStepsMax = 1'000'000;
  std::vector<Step> steps;
  Reader reader{text, 1};
  while (reader.at < text.size() && text[reader.at] != '.') {
    const std::size_t head = reader.number();
    Step step;
    step.thread = static_cast<ThreadId>(head / 2);
    if (head % 2 != 0) {
      step.choice = static_cast<int>(reader.number());
      step.skipped = static_cast<int>(reader.number());
    }
    const std::size_t count = reader.number();
    if (reader.failed || step.thread >= kThreadsMax || steps.size() + count > kStepsMax) {
      return wrong_at(reader);
    }
    steps.insert(steps.end(), count, step);
  }
  ++reader.at;
  for (Step& step : steps) {
    step.signature = reader.digit();
  }
  if (reader.failed || reader.at != text.size()) {
    return wrong_at(reader);
  }
  return steps;
}

}  // namespace overbite::ordering
