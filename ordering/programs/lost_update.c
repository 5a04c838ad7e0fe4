// expect: fails, assertion failed: counter == 2
// A load and a store are no increment.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int counter;

static void* first(void* unused) {
  (void)unused;
  atomic_store(&counter, atomic_load(&counter) + 1);
  return NULL;
}

static void* second(void* unused) {
  (void)unused;
  atomic_store(&counter, atomic_load(&counter) + 1);
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, first, NULL);
  pthread_create(&threads[1], NULL, second, NULL);
  for (int i = 0; i < 2; ++i) {
    pthread_join(threads[i], NULL);
  }
  assert(counter == 2);
  return 0;
}
