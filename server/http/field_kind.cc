#include "server/http/field_kind.h"

#include "server/http/ascii.h"

namespace overbite::http {

FieldKind classify_field(std::string_view name) {
  // The length tells nearly every field apart without a look at its bytes.
  switch (name.size()) {
    case 10:
      if (equals_ignoring_case(name, "set-cookie")) {
        return FieldKind::kSetCookie;
      }
      if (equals_ignoring_case(name, "connection")) {
        return FieldKind::kConnection;
      }
      return FieldKind::kOrdinary;
    case 14:
      return equals_ignoring_case(name, "content-length") ? FieldKind::kContentLength
                                                          : FieldKind::kOrdinary;
    case 17:
      return equals_ignoring_case(name, "transfer-encoding") ? FieldKind::kTransferEncoding
                                                             : FieldKind::kOrdinary;
    default:
      return FieldKind::kOrdinary;
  }
}

bool list_has_token(std::string_view list, std::string_view token) {
  bool found = false;
  for_each_element(list, [&](std::string_view element) {
    if (element.size() != token.size()) {
      return;
    }
    bool same = true;
    for (std::size_t i = 0; i < token.size(); ++i) {
      same = same && to_lower(element[i]) == to_lower(token[i]);
    }
    found = found || same;
  });
  return found;
}

}  // namespace overbite::http
