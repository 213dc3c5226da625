// Times digits_run of the quickstart for python_call.py, in ns of a call.
#include "digits.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

int main(int argc, char **argv) {
  static float image[64], probabilities[10];
  long calls = argc > 1 ? atol(argv[1]) : 100000;
  digits_ctx *net;
  if (calls < 1 || digits_create(NULL, NULL, &net) != WEIR_OK)
    return 1;
  double begin = now();
  for (long i = 0; i < calls; ++i)
    if (digits_run(net, image, probabilities) != WEIR_OK)
      return 1;
  printf("%.1f\n", (now() - begin) / (double)calls);
  digits_destroy(net);
  return 0;
}
