// The request target.
#pragma once

#include <string>
#include <string_view>

#include "server/base/result.h"

namespace overbite::http {

struct Target {
  std::string_view raw_path;
  std::string_view query;
};

// Splits by the rules of http_parser's URL parser (the one inside httptools): absolute form keeps
// path and query only, a fragment is dropped. Views into `target`.
base::Result<Target> split_target(std::string_view target);

// Percent-decoding as urllib.parse.unquote(errors="replace") followed by UTF-8 encoding: bad
// escapes stay, invalid UTF-8 becomes U+FFFD as CPython's decoder does it. ASCII in, UTF-8 out.
std::string unquote_path(std::string_view raw_path);

}  // namespace overbite::http
