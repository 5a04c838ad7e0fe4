// A server of one promise: the answer is 42.
#pragma once

namespace toy {

int answer();

}  // namespace toy
