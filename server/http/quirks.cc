#include "server/http/quirks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

namespace overbite::http {
namespace {

struct Entry {
  std::string_view name;
  bool Quirks::* field;
};

constexpr Entry kEntries[] = {
    {"drop-half-closed", &Quirks::drop_half_closed},
    {"eager-400", &Quirks::eager_400},
    {"length-and-chunked", &Quirks::length_and_chunked},
    {"double-transfer-encoding", &Quirks::double_transfer_encoding},
    {"double-content-length", &Quirks::double_content_length},
    {"loose-content-length", &Quirks::loose_content_length},
    {"chunked-to-1-0", &Quirks::chunked_to_1_0},
    {"body-with-204", &Quirks::body_with_204},
    {"interim-as-final", &Quirks::interim_as_final},
    {"continue-to-1-0", &Quirks::continue_to_1_0},
    {"late-error-closes", &Quirks::late_error_closes},
    {"upgrade-drops-body", &Quirks::upgrade_drops_body},
    {"host-unchecked", &Quirks::host_unchecked},
    {"trailing-blanks-kept", &Quirks::trailing_blanks_kept},
    {"wsgi-standard-reason", &Quirks::wsgi_standard_reason},
    {"wsgi-exc-info-ignored", &Quirks::wsgi_exc_info_ignored},
    {"wsgi-early-head", &Quirks::wsgi_early_head},
    {"wsgi-comma-cookies", &Quirks::wsgi_comma_cookies},
};
// A quirk without a name could not be switched on.
static_assert(std::size(kEntries) * sizeof(bool) == sizeof(Quirks));

}  // namespace

base::Result<Quirks> Quirks::parse(std::string_view list) {
  Quirks quirks;
  if (list == "none") {
    return quirks;
  }
  if (list == "uvicorn") {
    for (const Entry& entry : kEntries) {
      quirks.*entry.field = true;
    }
    return quirks;
  }
  while (true) {
    const std::size_t comma = list.find(',');
    const std::string_view name = list.substr(0, comma);
    const auto entry = std::find_if(std::begin(kEntries),
                                    std::end(kEntries),
                                    [&](const Entry& candidate) { return candidate.name == name; });
    if (name == "uvicorn" || name == "none") {
      return base::Error{fmt::format("'{}' stands alone, without other names", name)};
    }
    if (entry == std::end(kEntries)) {
      return base::Error{fmt::format("unknown quirk '{}' (known: none, uvicorn, or any of {})",
                                     name,
                                     fmt::join(names(), ", "))};
    }
    quirks.*entry->field = true;
    if (comma == std::string_view::npos) {
      return quirks;
    }
    list.remove_prefix(comma + 1);
  }
}

std::vector<std::string> Quirks::names() {
  std::vector<std::string> names;
  for (const Entry& entry : kEntries) {
    names.emplace_back(entry.name);
  }
  return names;
}

}  // namespace overbite::http
