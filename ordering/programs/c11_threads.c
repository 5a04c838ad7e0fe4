// expect: SC 2, RC11 2
// Two C11 threads count under a mutex, and one of them sets up what both need.
#include <assert.h>
#include <threads.h>

static mtx_t lock;
static once_flag once = ONCE_FLAG_INIT;
static int count;

static void set_up(void) { mtx_init(&lock, mtx_plain); }

static int work(void* step) {
  mtx_lock(&lock);
  count += *(int*)step;
  mtx_unlock(&lock);
  return 7;
}

int main(void) {
  thrd_t threads[2];
  int steps[2] = {1, 2};
  call_once(&once, set_up);
  for (int i = 0; i < 2; ++i) {
    thrd_create(&threads[i], work, &steps[i]);
  }
  for (int i = 0; i < 2; ++i) {
    int result = 0;
    thrd_join(threads[i], &result);
    assert(result == 7);
  }
  assert(count == 3);
}
