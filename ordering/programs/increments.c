// expect: SC 24, RC11 24
// Four increments of one counter, in every order.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { THREADS = 4 };
static atomic_int counter;

static void* work(void* argument) {
  (void)argument;
  atomic_fetch_add(&counter, 1);
  return NULL;
}

int main(void) {
  static int numbers[THREADS];
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; ++i) {
    numbers[i] = i + 1;
    pthread_create(&threads[i], NULL, work, &numbers[i]);
  }
  for (int i = 0; i < THREADS; ++i) {
    pthread_join(threads[i], NULL);
  }
  assert(counter == THREADS);
  return 0;
}
