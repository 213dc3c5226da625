/* Measures the cost of a parallel region, by the number of threads: an empty
 * region while all threads are awake, and after they have fallen asleep. It
 * also measures the excess time of a region with 20 us of work.
 *
 *   cc -O2 -I. test/bench/region.c runtime/threads.c -pthread -o region &&
 * ./region
 */
#define _POSIX_C_SOURCE 200809L
#include "runtime/abi.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { rounds = 20000, sleeps = 200 };

static double now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static void part(void *data, int64_t first, int64_t last, int64_t slot) {
  (void)data, (void)first, (void)last, (void)slot;
}

/* A work item of about a third of a microsecond, a chain that the compiler cannot
 * shorten and that waits for no memory. */
static void busy(void *data, int64_t first, int64_t last, int64_t slot) {
  (void)data, (void)slot;
  for (int64_t i = first; i < last; ++i)
    for (int k = 0; k < 1100; ++k)
      __asm__ volatile("" : "+r"(k));
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *us, int count) {
  qsort(us, (size_t)count, sizeof *us, ascending);
  return us[count / 2];
}

static double us[rounds];

static double region(const weir_team *team, weir_part *part) {
  for (int i = 0; i < rounds; ++i) {
    double begin = now_us();
    weir_parallel(team, 64, 0, 4, part, NULL);
    us[i] = now_us() - begin;
  }
  return median(us, rounds);
}

int main(void) {
  double alone = 0;
  for (int n = 1; n <= 4; ++n) {
    weir_threads wanted = {NULL, n, NULL};
    weir_team team = {0};
    if (weir_team_create(&team, &wanted, 1))
      return 1;
    double empty = region(&team, part), worked = region(&team, busy);
    if (n == 1)
      alone = worked;
    for (int i = 0; i < sleeps; ++i) {
      struct timespec pause = {0, 5000000};
      nanosleep(&pause, NULL);
      double begin = now_us();
      weir_parallel(&team, 64, 0, 4, part, NULL);
      us[i] = now_us() - begin;
    }
    printf(
        "%d threads: %.2f us empty, %.2f us from sleep; %.2f us of work take "
        "%.2f us, %.2f more than a share\n",
        n, empty, median(us, sleeps), alone, worked, worked - alone / n);
    weir_team_destroy(&team);
  }
  return 0;
}
