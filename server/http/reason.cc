#include "server/http/reason.h"

#include "server/base/check.h"

namespace overbite::http {

void ReasonTable::set(int status, std::string phrase) {
  CHECK_LE(kFirst, status);
  CHECK_LE(status, kLast);
  phrases_[static_cast<std::size_t>(status - kFirst)] = std::move(phrase);
}

std::string_view ReasonTable::phrase(int status) const {
  return covers(status) ? std::string_view(phrases_[static_cast<std::size_t>(status - kFirst)])
                        : std::string_view();
}

}  // namespace overbite::http
