// One line on stderr, in uvicorn's shape: the level padded to ten columns.
#pragma once

#include <string_view>

namespace overbite::base {

enum class Level { kInfo, kWarning, kError };

// Any thread; the line is one write.
void log(Level level, std::string_view message);

}  // namespace overbite::base
