#include "server/http/response_head.h"

#include <limits>

#include "server/base/check.h"
#include "server/http/ascii.h"

namespace overbite::http {

void ResponseHead::reserve(std::size_t fields, std::size_t bytes) {
  fields_.reserve(fields);
  block_.reserve(bytes);
}

void ResponseHead::add(FieldKind kind, std::string_view name, std::string_view value) {
  CHECK_LE(block_.size() + name.size() + value.size(), std::numeric_limits<std::uint32_t>::max());
  const auto name_offset = static_cast<std::uint32_t>(block_.size());
  for (const char c : name) {
    block_.push_back(to_lower(c));  // guard: name-not-lowered
  }
  const auto value_offset = static_cast<std::uint32_t>(block_.size());
  block_.append(value);
  const Field field{kind,
                    name_offset,
                    static_cast<std::uint32_t>(name.size()),
                    value_offset,
                    static_cast<std::uint32_t>(value.size())};
  // Appended whatever came before: two cookies are two lines (RFC 6265 3).
  fields_.push_back(field);  // guard: set-cookie-collapsed
}

void ResponseHead::clear() {
  block_.clear();
  fields_.clear();
  status = 200;
  reason.clear();
  own_reason = false;
}

std::string_view ResponseHead::name(std::size_t i) const {
  return std::string_view(block_).substr(fields_[i].name_offset, fields_[i].name_size);
}

std::string_view ResponseHead::value(std::size_t i) const {
  return std::string_view(block_).substr(fields_[i].value_offset, fields_[i].value_size);
}

}  // namespace overbite::http
