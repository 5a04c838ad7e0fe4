#include "sabotage/runner/patch.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "sabotage/runner/failure.h"
#include "sabotage/runner/guards.h"
#include "sabotage/runner/text.h"

namespace overbite::sabotage {
namespace {

namespace fs = std::filesystem;

// "<kind>" in a killer line.
std::optional<KillKind> parse_kind(std::string_view name) {
  for (const KillKind kind :
       {KillKind::kAssert, KillKind::kCrash, KillKind::kHang, KillKind::kScenario}) {
    if (kind_name(kind) == name) {
      return kind;
    }
  }
  return std::nullopt;
}

// "a" of "-a,b": where a hunk's side starts and how many lines it has; one if it does not say.
struct Range {
  int start = 0;
  int count = 1;
};

std::optional<Range> parse_range(std::string_view text, char sign) {
  Range range;
  if (!text.starts_with(sign)) {
    return std::nullopt;
  }
  text.remove_prefix(1);
  const char* end = text.data() + text.size();
  auto parsed = std::from_chars(text.data(), end, range.start);
  if (parsed.ec == std::errc() && parsed.ptr != end && *parsed.ptr == ',') {
    parsed = std::from_chars(parsed.ptr + 1, end, range.count);
  }
  if (parsed.ec != std::errc() || parsed.ptr != end || range.start < 0 || range.count < 0) {
    return std::nullopt;
  }
  return range;
}

class Parser {
 public:
  Parser(const fs::path& file, std::string_view text) : lines_(split_lines(text)) {
    patch_.file = file;
    patch_.id = file.stem().string();
  }

  Patch parse();

 private:
  // `line` counts from zero.
  [[noreturn]] void fail(std::size_t line, std::string_view why) const;
  [[noreturn]] void fail_whole(std::string_view why) const;
  void require_text() const;
  bool at_diff() const;
  void parse_header();
  void take_field(std::size_t line, std::string_view key, const std::string& value);
  void take_once(std::size_t line,
                 std::string_view key,
                 const std::string& value,
                 std::string& field) const;
  TestName parse_name(std::size_t line, std::string_view spec) const;
  Killer parse_killer(std::size_t line, std::string_view value) const;
  // "--- a/<path>" or "+++ b/<path>"; diff(1) may add a tab and a date.
  std::string parse_path(std::string_view prefix);
  void parse_file_names();
  void parse_hunk();
  void take_hunk_line(bool& removed, int& old_left, int& new_left);
  void check_guard(std::string_view line) const;
  void check_nothing_follows() const;
  void check_whole() const;

  std::vector<std::string_view> lines_;
  std::size_t at_ = 0;
  std::string guard_;
  Patch patch_;
};

Patch Parser::parse() {
  require_text();
  parse_header();
  const std::size_t diff_start = at_;
  parse_file_names();
  parse_hunk();
  check_nothing_follows();
  for (std::size_t i = diff_start; i < lines_.size(); ++i) {
    patch_.diff.append(lines_[i]).append("\n");
  }
  check_whole();
  return std::move(patch_);
}

void Parser::fail(std::size_t line, std::string_view why) const {
  throw Failure(Exit::kStale, fmt::format("{}:{}: {}", patch_.file.string(), line + 1, why));
}

void Parser::fail_whole(std::string_view why) const {
  throw Failure(Exit::kStale, fmt::format("{}: {}", patch_.file.string(), why));
}

// What a patch says is printed: no byte of it may steer the terminal.
void Parser::require_text() const {
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    for (const char c : lines_[i]) {
      const auto byte = static_cast<unsigned char>(c);
      if ((byte < 0x20 && c != '\t' && c != '\r') || byte == 0x7f) {
        fail(i, fmt::format("holds the byte 0x{:02x}: a patch is text", byte));
      }
    }
  }
}

bool Parser::at_diff() const {
  return lines_[at_].starts_with("--- ") || lines_[at_].starts_with("diff --git ");
}

void Parser::parse_header() {
  for (; at_ < lines_.size() && !at_diff(); ++at_) {
    const std::string_view line = lines_[at_];
    if (trim(line).empty() || line.starts_with('#')) {
      continue;
    }
    const std::size_t key_line = at_;
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || line.starts_with(' ')) {
      fail(at_, "neither a 'key: value' line of the header nor the start of the diff ('--- a/')");
    }
    std::string value(trim(line.substr(colon + 1)));
    while (at_ + 1 < lines_.size() && lines_[at_ + 1].starts_with("  ")) {
      value.append(" ").append(trim(lines_[++at_]));
    }
    take_field(key_line, trim(line.substr(0, colon)), value);
  }
  if (at_ == lines_.size()) {
    fail_whole("holds no diff: a line '--- a/<path>' is missing");
  }
}

void Parser::take_field(std::size_t line, std::string_view key, const std::string& value) {
  if (value.empty()) {
    fail(line, fmt::format("'{}:' is empty", key));
  }
  if (key == "guard") {
    take_once(line, key, value, guard_);
    if (guard_ != patch_.id) {
      fail(line,
           fmt::format(
               "'guard: {}' does not match the file's name, which says '{}'", guard_, patch_.id));
    }
  } else if (key == "harm") {
    take_once(line, key, value, patch_.harm);
  } else if (key == "origin") {
    take_once(line, key, value, patch_.origin);
  } else if (key == "killer") {
    patch_.killers.push_back(parse_killer(line, value));
  } else if (key == "control") {
    patch_.controls.push_back(parse_name(line, value));
  } else {
    fail(line,
         fmt::format("unknown key '{}': known are guard, harm, origin, killer, control", key));
  }
}

void Parser::take_once(std::size_t line,
                       std::string_view key,
                       const std::string& value,
                       std::string& field) const {
  if (!field.empty()) {
    fail(line, fmt::format("a second '{}:'", key));
  }
  field = value;
}

TestName Parser::parse_name(std::size_t line, std::string_view spec) const {
  try {
    return parse_test_name(spec);
  } catch (const Failure& failure) {
    fail(line, failure.what());
  }
}

Killer Parser::parse_killer(std::size_t line, std::string_view value) const {
  const std::size_t first = value.find(" | ");
  if (first == std::string_view::npos) {
    fail(line, "a killer reads '<test> | <kind> | <text>'");
  }
  const std::string_view rest = value.substr(first + 3);
  const std::size_t bar = rest.find('|');
  const std::string_view kind = trim(rest.substr(0, bar));
  const std::string_view text =
      bar == std::string_view::npos ? std::string_view() : trim(rest.substr(bar + 1));

  Killer killer{parse_name(line, trim(value.substr(0, first))), KillKind::kAssert, {}};
  const std::optional<KillKind> known = parse_kind(kind);
  if (!known) {
    fail(line, fmt::format("unknown kind '{}': known are assert, crash, hang, scenario", kind));
  }
  killer.kind = *known;
  killer.text = text;
  const bool ordering = killer.name.type == TestType::kOrdering;
  if (ordering != (killer.kind == KillKind::kScenario)) {
    fail(line, "the kind 'scenario' belongs to ordering: tests, and they have no other");
  }
  if (text.empty() && killer.kind != KillKind::kHang) {
    fail(line, "the killer declares no text: any failure at all would count");
  }
  return killer;
}

std::string Parser::parse_path(std::string_view prefix) {
  if (at_ == lines_.size() || !lines_[at_].starts_with(prefix)) {
    fail(std::min(at_, lines_.size() - 1), fmt::format("expected '{}<path>'", prefix));
  }
  const std::string_view rest = lines_[at_++].substr(prefix.size());
  return std::string(trim(rest.substr(0, rest.find('\t'))));
}

void Parser::parse_file_names() {
  while (at_ < lines_.size() &&
         (lines_[at_].starts_with("diff --git ") || lines_[at_].starts_with("index "))) {
    ++at_;
  }
  const std::size_t line = at_;
  const std::string old_path = parse_path("--- a/");
  const std::string new_path = parse_path("+++ b/");
  if (old_path != new_path) {
    fail(line + 1, fmt::format("renames {} to {}: a patch changes one line", old_path, new_path));
  }
  const fs::path path = fs::path(old_path).lexically_normal();
  const bool known = *path.begin() == "server" || *path.begin() == "ordering";
  if (path != fs::path(old_path) || path.is_absolute() || !known) {
    fail(line, fmt::format("'{}' is not a path under server/ or ordering/", old_path));
  }
  if (path.extension() != ".cc") {
    fail(line,
         fmt::format("patches {}, which is no .cc file: the loader would pick the test's own "
                     "copy of a header's code",
                     old_path));
  }
  patch_.source = path;
}

void Parser::parse_hunk() {
  const std::size_t start = at_;
  const std::string_view line = at_ < lines_.size() ? lines_[at_] : std::string_view();
  const std::size_t space = line.find(" +");
  const std::size_t end = line.find(" @@", 3);
  if (!line.starts_with("@@ -") || space == std::string_view::npos ||
      end == std::string_view::npos || end < space) {
    fail(std::min(at_, lines_.size() - 1), "expected a hunk: '@@ -<line>,<count> +... @@'");
  }
  const std::optional<Range> old_side = parse_range(line.substr(3, space - 3), '-');
  const std::optional<Range> new_side = parse_range(line.substr(space + 1, end - space - 1), '+');
  if (!old_side || !new_side) {
    fail(at_, "bad line numbers in the hunk's header");
  }
  ++at_;
  patch_.hunk.first_line = old_side->start;
  int old_left = old_side->count;
  int new_left = new_side->count;
  bool removed = false;
  for (; (old_left > 0 || new_left > 0) && at_ < lines_.size(); ++at_) {
    take_hunk_line(removed, old_left, new_left);
  }
  if (old_left != 0 || new_left != 0) {
    fail(start, "the hunk's line counts do not match its lines");
  }
  if (!removed) {
    fail(start, "the patch removes no line: it must replace the guarded one");
  }
}

void Parser::take_hunk_line(bool& removed, int& old_left, int& new_left) {
  const std::string_view line = lines_[at_];
  const std::string text(line.substr(line.empty() ? 0 : 1));
  Hunk& hunk = patch_.hunk;
  if (line.starts_with('-')) {
    if (removed) {
      fail(at_, "a second removed line: a patch changes one guarded line");
    }
    removed = true;
    hunk.guarded = hunk.old_lines.size();
    check_guard(text);
    hunk.old_lines.push_back(text);
    --old_left;
  } else if (line.starts_with('+')) {
    if (!removed || hunk.guarded + 1 != hunk.old_lines.size()) {
      fail(at_, "an added line away from the guarded one: a patch changes one guarded line");
    }
    hunk.replacement.push_back(text);
    --new_left;
  } else if (line.empty() || line.starts_with(' ')) {
    hunk.old_lines.push_back(text);
    --old_left;
    --new_left;
  } else if (!line.starts_with('\\')) {
    fail(at_, "not a line of a unified diff");
  }
}

void Parser::check_guard(std::string_view line) const {
  const std::optional<std::string> id = guard_on(line);
  if (!id) {
    fail(at_, fmt::format("the removed line does not end in '// guard: {}'", patch_.id));
  }
  if (*id != patch_.id) {
    fail(at_, fmt::format("the removed line carries guard '{}', not '{}'", *id, patch_.id));
  }
}

void Parser::check_nothing_follows() const {
  for (std::size_t i = at_; i < lines_.size(); ++i) {
    const std::string_view line = lines_[i];
    if (line.starts_with("--- ") || line.starts_with("diff --git ")) {
      fail(i, "a second file: a patch changes one guarded line");
    }
    if (line.starts_with("@@ ")) {
      fail(i, "a second hunk: a patch changes one guarded line");
    }
    if (!trim(line).empty() && !line.starts_with('\\')) {
      fail(i, "text after the hunk, or a hunk longer than its header says");
    }
  }
}

void Parser::check_whole() const {
  if (guard_.empty()) {
    fail_whole("no 'guard:' in the header");
  }
  if (patch_.harm.empty()) {
    fail_whole("no 'harm:' in the header: say what a user sees when the line is lost");
  }
  if (patch_.killers.empty()) {
    fail_whole("no 'killer:' in the header: a patch nobody has to notice proves nothing");
  }
  const auto top = patch_.source.begin();
  const std::string folder = (*top == "server" ? std::next(top) : top)->string();
  if (patch_.file.parent_path().filename() != folder) {
    fail_whole(fmt::format(
        "patches {}, so it belongs into sabotage/patches/{}/", patch_.source.string(), folder));
  }
}

}  // namespace

Patch parse_patch(const fs::path& file, std::string_view text) {
  return Parser(file, text).parse();
}

}  // namespace overbite::sabotage
