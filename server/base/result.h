// A value or the reason why there is none. Used for everything a peer, a user or the system can
// get wrong; no exception crosses a layer.
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "server/base/check.h"

namespace overbite::base {

// One clear sentence that names what and where; shown to the user as it is.
struct Error {
  std::string message;
};

struct Ok {};

template <typename T = Ok>
class [[nodiscard]] Result {
 public:
  Result(T value)
      : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT: implicit by design
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() {
    CHECK(ok());
    return std::get<0>(state_);
  }
  const T& value() const {
    CHECK(ok());
    return std::get<0>(state_);
  }
  const std::string& error() const {
    CHECK(!ok());
    return std::get<1>(state_).message;
  }

 private:
  std::variant<T, Error> state_;
};

}  // namespace overbite::base
