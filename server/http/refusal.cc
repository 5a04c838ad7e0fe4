#include "server/http/refusal.h"

#include <array>

namespace overbite::http {
namespace {

constexpr std::uint8_t kInName = 1;
constexpr std::uint8_t kInValue = 2;

struct ForbiddenBytes {
  std::array<std::uint8_t, 256> where{};

  constexpr void forbid(unsigned first, unsigned last, std::uint8_t in) {
    for (unsigned byte = first; byte <= last; ++byte) {
      where[byte] |= in;
    }
  }
};

constexpr ForbiddenBytes forbidden_bytes() {
  ForbiddenBytes bytes;
  // The three that split a response, or cut it short, in a reader behind us.
  bytes.forbid('\r', '\r', kInName | kInValue);
  bytes.forbid('\n', '\n', kInName | kInValue);  // guard: refusal-skips-lf
  bytes.forbid('\0', '\0', kInName | kInValue);  // guard: refusal-skips-nul
  // The other controls; HTAB is a blank inside a value.
  bytes.forbid(0x01, 0x08, kInName | kInValue);
  bytes.forbid('\t', '\t', kInName);
  bytes.forbid(0x0b, 0x0c, kInName | kInValue);
  bytes.forbid(0x0e, 0x1f, kInName | kInValue);
  bytes.forbid(0x7f, 0x7f, kInName | kInValue);
  for (const char delimiter : std::string_view(" ()<>@,;:\\\"[]={}")) {
    bytes.forbid(
        static_cast<unsigned char>(delimiter), static_cast<unsigned char>(delimiter), kInName);
  }
  return bytes;
}

constexpr ForbiddenBytes kForbidden = forbidden_bytes();

// Without a branch per byte: a field is nearly always good, so all of it is looked at anyway.
std::uint8_t places_forbidden_by(std::string_view text) {
  std::uint8_t places = 0;
  for (const char c : text) {
    places |= kForbidden.where[static_cast<unsigned char>(c)];
  }
  return places;
}

}  // namespace

Refusal refuse_field(std::string_view name, std::string_view value) {
  if ((places_forbidden_by(name) & kInName) != 0) {
    return Refusal::kBadName;
  }
  if ((places_forbidden_by(value) & kInValue) != 0) {
    return Refusal::kBadValue;
  }
  return Refusal::kNone;
}

const char* refusal_message(Refusal refusal) {
  switch (refusal) {
    case Refusal::kNone:
      return "";
    case Refusal::kBadName:
      return "Invalid HTTP header name.";
    case Refusal::kBadValue:
      return "Invalid HTTP header value.";
  }
  return "";
}

}  // namespace overbite::http
