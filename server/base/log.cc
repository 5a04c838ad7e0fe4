#include "server/base/log.h"

#include <fmt/format.h>
#include <unistd.h>

namespace overbite::base {

void log(Level level, std::string_view message) {
  const std::string_view name = level == Level::kInfo      ? "INFO:"
                                : level == Level::kWarning ? "WARNING:"
                                                           : "ERROR:";
  const std::string line = fmt::format("{:<10}{}\n", name, message);
  // Nothing can be done about a stderr that takes nothing.
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace overbite::base
