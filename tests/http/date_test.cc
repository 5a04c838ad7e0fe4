#include "server/http/date.h"

#include <gtest/gtest.h>

#include <clocale>
#include <iterator>

namespace overbite::http {
namespace {

TEST(Date, RfcExampleIsReproduced) {
  EXPECT_EQ(imf_fixdate(784111777), "Sun, 06 Nov 1994 08:49:37 GMT");  // RFC 9110 5.6.7
}

TEST(Date, EpochAndLeapDayAreRight) {
  EXPECT_EQ(imf_fixdate(0), "Thu, 01 Jan 1970 00:00:00 GMT");
  EXPECT_EQ(imf_fixdate(951782400), "Tue, 29 Feb 2000 00:00:00 GMT");
  EXPECT_EQ(imf_fixdate(4102444799), "Thu, 31 Dec 2099 23:59:59 GMT");
}

TEST(Date, EveryMonthHasItsName) {
  const char* names[] = {
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  for (int month = 0; month < 12; ++month) {
    std::tm day{};
    day.tm_year = 126;
    day.tm_mon = month;
    day.tm_mday = 15;
    const std::string date = imf_fixdate(timegm(&day));
    EXPECT_EQ(date.size(), 29u);
    EXPECT_EQ(date.substr(8, 3), names[month]);
  }
}

TEST(Date, EveryDayHasItsName) {
  const char* names[] = {"Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"};
  for (int day = 0; day < 7; ++day) {
    EXPECT_EQ(imf_fixdate(day * 86400).substr(0, 3), names[day]);
  }
}

}  // namespace
}  // namespace overbite::http
