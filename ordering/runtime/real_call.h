// The definition that a hook of the same name hides.
#pragma once

#include <dlfcn.h>

#include "server/base/check.h"

namespace overbite::ordering {

// The next definition of `name` in the loader's search order.
template <typename Function>
Function* real_call(const char* name) {
  void* found = ::dlsym(RTLD_NEXT, name);
  CHECK(found != nullptr);
  return reinterpret_cast<Function*>(found);
}

}  // namespace overbite::ordering
