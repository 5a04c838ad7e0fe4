#include "ordering/report/replay_string.h"

#include <fmt/format.h>

#include <algorithm>

namespace overbite::ordering {

namespace {

// Crockford's base 32: no i, l, o, u.
constexpr std::string_view kDigits = "0123456789abcdefghjkmnpqrstvwxyz";
constexpr std::uint32_t kMore = 16;  // of a 5-bit digit: another one follows
// A thread's digit with kMore is followed by a variant other than 0.
static_assert(kThreadsMax <= 16);

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

base::Error wrong_at(const Reader& reader) {
  return {fmt::format("not a replay string: character {} is wrong", reader.at + 1)};
}

}  // namespace

std::string to_replay_string(const std::vector<Step>& steps) {
  std::string out = "1";
  for (std::size_t i = 0; i < steps.size();) {
    std::size_t end = i + 1;
    while (end < steps.size() && steps[end].thread == steps[i].thread &&
           steps[end].variant == steps[i].variant) {
      ++end;
    }
    const auto thread = static_cast<std::size_t>(steps[i].thread);
    out += kDigits[thread + (steps[i].variant != 0 ? kMore : 0)];
    if (steps[i].variant != 0) {
      append_number(out, static_cast<std::size_t>(steps[i].variant));
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
  if (text.empty() || text[0] != '1') {
    return base::Error{"not a replay string: it does not begin with 1, the version"};
  }
  // Longer than any run: a damaged length must not fill the memory.
  constexpr std::size_t kStepsMax = 1'000'000;
  std::vector<Step> steps;
  Reader reader{text, 1};
  while (reader.at < text.size() && text[reader.at] != '.') {
    const std::uint32_t thread = reader.digit();
    const std::size_t variant = thread >= kMore ? reader.number() : 0;
    const std::size_t count = reader.number();
    if (reader.failed || steps.size() + count > kStepsMax) {
      return wrong_at(reader);
    }
    steps.insert(
        steps.end(), count, {static_cast<ThreadId>(thread % kMore), static_cast<int>(variant), 0});
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
