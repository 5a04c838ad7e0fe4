// What a response field means to the server: the dispatch that runs on the raw spans of the
// application's header list, before anything is copied.
#pragma once

#include <cstdint>
#include <string_view>

namespace overbite::http {

enum class FieldKind : std::uint8_t {
  kOrdinary,
  kSetCookie,  // each is a line of its own, never joined, never replaced (RFC 6265 3)
  kContentLength,
  kTransferEncoding,
  kConnection,
};

// Case-insensitive.
FieldKind classify_field(std::string_view name);

// Whether a comma-separated list holds `token` (case-insensitive, SP and HTAB trimmed only).
bool list_has_token(std::string_view list, std::string_view token);

}  // namespace overbite::http
