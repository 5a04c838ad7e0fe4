// The bytes of one fuzz input, taken from the front. When they run out, numbers are 0 and spans
// empty.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace overbite::fuzz {

class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size)
      : rest_(size == 0 ? std::string_view()
                        : std::string_view(reinterpret_cast<const char*>(data), size)) {}

  bool empty() const { return rest_.empty(); }

  std::uint8_t byte() {
    if (rest_.empty()) {
      return 0;
    }
    const auto value = static_cast<std::uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return value;
  }
  // Big-endian, so that a hex dump reads as the number.
  std::uint32_t two_bytes() {
    const std::uint32_t high = byte();
    return high << 8 | byte();
  }
  std::string_view take(std::size_t size) {
    const std::string_view taken = rest_.substr(0, std::min(size, rest_.size()));
    rest_.remove_prefix(taken.size());
    return taken;
  }
  // Up to `end`, which is taken too; without one, all that is left.
  std::string_view take_until(char end) {
    const std::size_t at = rest_.find(end);
    const std::string_view taken = rest_.substr(0, at);
    rest_.remove_prefix(at == std::string_view::npos ? rest_.size() : at + 1);
    return taken;
  }

 private:
  std::string_view rest_;
};

}  // namespace overbite::fuzz
