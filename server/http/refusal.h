// The refusal: which names and values of a response may not go on the wire. It runs on the raw
// spans, before anything is copied (RFC 9110 5.1, 5.5: CR, LF and NUL would split the response).
#pragma once

#include <cstdint>
#include <string_view>

namespace overbite::http {

enum class Refusal : std::uint8_t { kNone, kBadName, kBadValue };

// The reference's rules. Name: no byte 00-20 or 7f and none of ( ) < > @ , ; : \ " [ ] = { } ;
// empty is allowed, so are bytes from 80 on. Value: no byte 00-08, 0a-1f or 7f.
Refusal refuse_field(std::string_view name, std::string_view value);

// "Invalid HTTP header name." / "Invalid HTTP header value.", the reference's words.
const char* refusal_message(Refusal refusal);

}  // namespace overbite::http
