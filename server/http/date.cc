#include "server/http/date.h"

#include <fmt/format.h>

#include "server/base/check.h"

namespace overbite::http {
namespace {

// strftime would use the locale's names.
constexpr const char* kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
constexpr const char* kMonths[] = {
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

}  // namespace

std::string imf_fixdate(std::time_t seconds) {
  std::tm utc{};
  CHECK(gmtime_r(&seconds, &utc) != nullptr);
  return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT",
                     kDays[utc.tm_wday],
                     utc.tm_mday,
                     kMonths[utc.tm_mon],
                     utc.tm_year + 1900,
                     utc.tm_hour,
                     utc.tm_min,
                     utc.tm_sec);
}

}  // namespace overbite::http
