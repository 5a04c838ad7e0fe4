#include "server/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace overbite::base {

void check_failed(const char* expression, const std::string& values, const char* file, int line) {
  std::fprintf(stderr, "CHECK failed: %s (%s) at %s:%d\n", expression, values.c_str(), file, line);
  std::fflush(stderr);
  std::abort();
}

}  // namespace overbite::base
