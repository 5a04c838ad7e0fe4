#include "answer.h"  // quoted: a variant has to find it beside the original

#include <cstdio>
#include <cstdlib>

namespace toy {
namespace {

// Aborts with the line that failed, as CHECK does.
void require(bool fine, int line) {
  if (!fine) {
    std::fprintf(stderr, "toy check failed at line %d\n", line);
    std::abort();
  }
}

// 1 and 2 in turn over the runs of a program, for a patch that is noticed every other time.
[[maybe_unused]] int flip() {
  const char* mark = std::getenv("TOY_FLIP_FILE");
  if (std::remove(mark) == 0) {
    return 2;
  }
  std::fclose(std::fopen(mark, "w"));
  return 1;
}

}  // namespace

int answer() {
  int value = 40;
  value += 2;  // guard: answer-wrong
  require(value < 100, __LINE__);
  return value;
}

}  // namespace toy
