// expect: SC 3328, RC11 3328
// Ten writers, each one more than its neighbour's cell; a reader looks for the last zero.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { WRITERS = 10, THREADS = WRITERS + 1 };
static atomic_int cells[WRITERS + 1];

static void* work(void* argument) {
  int number = *(const int*)argument;
  if (number == THREADS) {
    int i = WRITERS;
    while (atomic_load_explicit(&cells[i], memory_order_acquire) != 0) {
      --i;
    }
    return NULL;
  }
  int neighbour = atomic_load_explicit(&cells[number - 1], memory_order_acquire);
  atomic_store_explicit(&cells[number], neighbour + 1, memory_order_release);
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
  return 0;
}
