// expect: SC 218243, RC11 525630
// Two threads add up two cells in turns, five times each; a third looks at both.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { ROUNDS = 5, MOST = 144 };
static atomic_int x = 1, y = 1;

static int sum(void) {
  int first = atomic_load_explicit(&x, memory_order_acquire);
  return first + atomic_load_explicit(&y, memory_order_acquire);
}

static void* into_x(void* unused) {
  (void)unused;
  for (int i = 0; i < ROUNDS; ++i) {
    atomic_store_explicit(&x, sum(), memory_order_release);
  }
  return NULL;
}

static void* into_y(void* unused) {
  (void)unused;
  for (int i = 0; i < ROUNDS; ++i) {
    atomic_store_explicit(&y, sum(), memory_order_release);
  }
  return NULL;
}

static void* look(void* unused) {
  (void)unused;
  assert(atomic_load_explicit(&x, memory_order_acquire) <= MOST &&
         atomic_load_explicit(&y, memory_order_acquire) <= MOST);
  return NULL;
}

int main(void) {
  void* (*const bodies[])(void*) = {into_x, into_y, look};
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) {
    pthread_create(&threads[i], NULL, bodies[i], NULL);
  }
  for (int i = 0; i < 3; ++i) {
    pthread_join(threads[i], NULL);
  }
  return 0;
}
