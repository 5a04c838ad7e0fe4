// expect: SC 2, RC11 2
// Plain data behind a flag: read only by who has seen the flag.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static int data;
static atomic_int flag;

static void* first(void* unused) {
  (void)unused;
  data = 42;
  atomic_store_explicit(&flag, 1, memory_order_release);
  return NULL;
}

static void* second(void* unused) {
  (void)unused;
  if (atomic_load_explicit(&flag, memory_order_acquire) == 1) {
    assert(data == 42);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, first, NULL);
  pthread_create(&threads[1], NULL, second, NULL);
  for (int i = 0; i < 2; ++i) {
    pthread_join(threads[i], NULL);
  }
  return 0;
}
