// Stands for overbite-serve: prints the answer.
#include <cstdio>
#include <cstring>

#include "server/toy/answer.h"
#include "tests/support/loaded_library.h"

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "--version") == 0) {
    std::printf("%s\n", overbite::support::loaded_library_line().c_str());
    return 0;
  }
  std::printf("%d\n", toy::answer());
  return 0;
}
