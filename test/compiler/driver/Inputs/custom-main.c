/* Runs the library of custom-ops.test, and counts the allocations of a run. */
#include "net.h"

#include <stdio.h>
#include <stdlib.h>

static long allocated;

/* The linker redirects all calls to these functions (-Wl,--wrap). */
void *__real_aligned_alloc(size_t align, size_t bytes);
void *__wrap_aligned_alloc(size_t align, size_t bytes) {
  ++allocated;
  return __real_aligned_alloc(align, bytes);
}
void *__real_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes) {
  ++allocated;
  return __real_malloc(bytes);
}

int main(void) {
  static const float x[8] = {1, 5, 3, 2, -1, -4, 8, 9};
  static const int64_t k[2] = {10, 20};
  static float y[4];
  static uint8_t z[21];
  net_ctx *net;
  if (net_create(NULL, NULL, &net))
    return 1;
  long before = allocated;
  for (int i = 0; i < 100; ++i)
    if (net_run(net, x, k, y, z))
      return 1;
  long after = allocated;
  printf("%g %g %g %g\n", y[0], y[1], y[2], y[3]);
  printf("%ld allocated in 100 runs\n", after - before);
  net_destroy(net);
  return 0;
}
