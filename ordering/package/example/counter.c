// Two threads add one, each in one step or in two.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static atomic_int sum;

static void* whole(void* unused) {
  atomic_fetch_add(&sum, 1);
  return unused;
}

static void* torn(void* unused) {
  atomic_store(&sum, atomic_load(&sum) + 1);
  return unused;
}

int main(int argc, char** argv) {
  void* (*const add)(void*) = argc > 1 && strcmp(argv[1], "torn") == 0 ? torn : whole;
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) {
    pthread_create(&threads[i], 0, add, 0);
  }
  for (int i = 0; i < 2; ++i) {
    pthread_join(threads[i], 0);
  }
  assert(atomic_load(&sum) == 2);
  return 0;
}
