// Stands for overbite-order: one scenario, which holds while the answer is 42.
#include <cstdio>
#include <string>
#include <string_view>

#include "server/toy/answer.h"
#include "tests/support/loaded_library.h"

int main(int argc, char** argv) {
  const std::string_view command = argc > 1 ? argv[1] : "";
  if (command == "--version") {
    const std::string line =
        overbite::support::loaded_library_line("liboverbite_handoff_ordering.so");
    std::printf("%s\n", line.c_str());
    return 0;
  }
  if (command == "list") {
    std::printf("ask_vs_answer  the answer does not depend on the order\n");
    return 0;
  }
  if (command != "run" || argc < 3 || std::string_view(argv[2]) != "ask_vs_answer") {
    std::fprintf(stderr, "overbite-order: no such scenario\n");
    return 64;
  }
  const bool holds = toy::answer() == 42;
  std::printf("{\"verdict\": \"%s\"}\n", holds ? "holds" : "the \\\"answer\\\" was lost");
  return holds ? 0 : 1;
}
