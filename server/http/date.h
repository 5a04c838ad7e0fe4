// The Date field.
#pragma once

#include <ctime>
#include <string>
#include <string_view>

namespace overbite::http {

// IMF-fixdate (RFC 9110 5.6.7) of `seconds` since the epoch, 29 bytes, whatever the locale.
std::string imf_fixdate(std::time_t seconds);

}  // namespace overbite::http
