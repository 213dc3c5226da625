/* Threads share one context: each call computes its result or returns
 * WEIR_ERR_BUSY, and none hangs. */
#define _POSIX_C_SOURCE 200809L
#include "affine.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 16, CALLS = 1000 };
static affine_ctx *net;
static atomic_int right, busy, wrong;

static void *work(void *number) {
  for (int i = 0; i < CALLS; ++i) {
    float x[4] = {1, 2, 3, (float)(long)number}, y[4] = {0};
    weir_status status = affine_run(net, x, y);
    if (status == WEIR_OK && y[3] == 4 * x[3] + 0.5f)
      ++right;
    else if (status == WEIR_ERR_BUSY)
      ++busy;
    else
      ++wrong;
  }
  return NULL;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(void) {
  pthread_t threads[THREADS];
  alarm(60); /* a hang */
  if (affine_create(NULL, NULL, &net))
    return 1;
  for (long i = 0; i < THREADS; ++i)
    if (pthread_create(&threads[i], NULL, work, (void *)i))
      return 2;
  for (int i = 0; i < THREADS; ++i)
    pthread_join(threads[i], NULL);
  /* The last error is that of the thread that owned the context. */
  if (strcmp(affine_status_text(WEIR_ERR_BUSY),
             "another thread is in a call on the context"))
    ++wrong;
  printf("%d calls, some right: %d, wrong: %d\n", right + busy + wrong,
         right > CALLS, wrong);
  double begin = now();
  float x[4] = {1, 2, 3, 4}, y[4];
  for (int i = 0; i < 1000000; ++i)
    affine_run(net, x, y);
  fprintf(stderr, "%.1f ns a run\n", (now() - begin) / 1e6);
  affine_destroy(net);
  return 0;
}
