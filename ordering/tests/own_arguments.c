// What overbite-order passes on behind "--".
#include <assert.h>
#include <stdatomic.h>
#include <string.h>

static atomic_int looked;

int main(int argc, char** argv) {
  atomic_store(&looked, 1);
  assert(argc == 3 && strcmp(argv[1], "one") == 0 && strcmp(argv[2], "two words") == 0);
  return 0;
}
