/* How fast threads read memory together: the bytes a microsecond of the best of
 * some passes over a block that no cache holds.
 *
 *   cc -O3 -march=native test/bench/bandwidth.c -pthread -o bandwidth &&
 * ./bandwidth THREADS MEGABYTES
 */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { rounds = 9, words = 64 };

static uint64_t *block;
static size_t count;
static long threads;
static pthread_barrier_t barrier;
static volatile uint64_t sink;
/* When each thread begins and ends each round: a thread that only watches may
 * wake up when all has been read. */
static double (*begins)[rounds], (*ends)[rounds];

static double now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static void *reader(void *data) {
  long thread = (long)(intptr_t)data;
  size_t first = count / threads * thread / words * words;
  size_t last = count / threads * (thread + 1) / words * words;
  for (int round = 0; round < rounds; ++round) {
    pthread_barrier_wait(&barrier);
    begins[thread][round] = now_us();
    uint64_t sums[words] = {0}, sum = 0;
    for (size_t i = first; i < last; i += words) {
      __builtin_prefetch(block + i + 512);
      for (int j = 0; j < words; ++j)
        sums[j] |= block[i + j];
    }
    for (int j = 0; j < words; ++j)
      sum |= sums[j];
    sink = sum;
    ends[thread][round] = now_us();
  }
  return NULL;
}

int main(int argc, char **argv) {
  threads = argc > 1 ? atol(argv[1]) : 1;
  count = (size_t)(argc > 2 ? atol(argv[2]) : 256) << 17;
  pthread_t *others = malloc((size_t)threads * sizeof *others);
  if (threads < 1 || !others || posix_memalign((void **)&block, 64, count * 8))
    return 1;
  begins = malloc((size_t)threads * sizeof *begins);
  ends = malloc((size_t)threads * sizeof *ends);
  if (!begins || !ends)
    return 1;
  memset(block, 1, count * 8);
  pthread_barrier_init(&barrier, NULL, (unsigned)threads);
  for (long i = 0; i < threads; ++i)
    if (pthread_create(&others[i], NULL, reader, (void *)(intptr_t)i))
      return 1;
  for (long i = 0; i < threads; ++i)
    pthread_join(others[i], NULL);
  double best = 1e30;
  for (int round = 0; round < rounds; ++round) {
    double begin = begins[0][round], end = ends[0][round];
    for (long i = 1; i < threads; ++i) {
      begin = begins[i][round] < begin ? begins[i][round] : begin;
      end = ends[i][round] > end ? ends[i][round] : end;
    }
    best = end - begin < best ? end - begin : best;
  }
  printf("%.1f\n", (double)count * 8 / best);
  return 0;
}
