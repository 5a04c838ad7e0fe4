// The head of a response as the application gave it, copied once into one block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "server/http/field_kind.h"

namespace overbite::http {

class ResponseHead {
 public:
  struct Field {
    FieldKind kind;
    std::uint32_t name_offset, name_size, value_offset, value_size;
  };

  // Sizes known from a first pass: the block is allocated once.
  void reserve(std::size_t fields, std::size_t bytes);
  // Copies the field, its name lower-cased. Call refuse_field first. A repeated Content-Length with
  // an equal value is kept here too; framing decides what is written. Every Set-Cookie stays a
  // field of its own.
  void add(FieldKind kind, std::string_view name, std::string_view value);
  void clear();

  std::size_t size() const { return fields_.size(); }
  const Field& field(std::size_t i) const { return fields_[i]; }
  std::string_view name(std::size_t i) const;
  std::string_view value(std::size_t i) const;

  int status = 200;
  std::string reason;  // the application's own (WSGI); empty: from the table
  bool own_reason = false;

 private:
  std::string block_;
  std::vector<Field> fields_;
};

}  // namespace overbite::http
