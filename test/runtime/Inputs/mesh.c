// Ranks as threads: a run allocates nothing, and mistakes are statuses on all
// ranks.

#include "sum.h"

#include "runtime/comm/threads.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 2, TIMEOUT_MS = 300 };

// The linker redirects the calls of the library and of the transport to here.
static _Atomic int counts, allocations;
void *__real_malloc(size_t bytes);
void *__real_calloc(size_t number, size_t bytes);
void *__real_aligned_alloc(size_t align, size_t bytes);
void *__wrap_malloc(size_t bytes) {
  allocations += counts;
  return __real_malloc(bytes);
}
void *__wrap_calloc(size_t number, size_t bytes) {
  allocations += counts;
  return __real_calloc(number, bytes);
}
void *__wrap_aligned_alloc(size_t align, size_t bytes) {
  allocations += counts;
  return __real_aligned_alloc(align, bytes);
}

static weir_comm_threads *all;
static const char *mode;
static pthread_barrier_t barrier;

// As gather of the transport, but rank 1 has another program.
static int gather_other(void *user, const void *mine, void *to, size_t bytes) {
  unsigned char changed[64];
  memcpy(changed, mine, bytes);
  memset(changed, 0xab, 8);
  const weir_comm *own = weir_comm_threads_of(all, 1);
  return own->gather(user, changed, to, bytes);
}

static void *run_rank(void *argument) {
  int rank = *(int *)argument, is_first = rank == 0;
  weir_config config = WEIR_CONFIG_INIT;
  weir_comm comm = *weir_comm_threads_of(all, rank);
  char message[256] = "";
  config.comm = &comm;
  config.message = message;
  config.message_bytes = sizeof message;
  if (!strcmp(mode, "program") && rank == 1)
    comm.gather = gather_other;
  sum_ctx *context;
  weir_status status = sum_create(NULL, &config, &context);
  if (status) {
    for (int i = 0; i < RANKS; ++i) {
      if (i == rank)
        printf("rank %d: create: %d: %s\n", rank, status, message);
      pthread_barrier_wait(&barrier);
    }
    return NULL;
  }
  float x[4] = {1, 2, 3, 4}, y[4], s[2];
  if (!strcmp(mode, "silent")) {
    // Rank 1 does not run. The others wait for it no longer than the limit.
    if (is_first) {
      status = sum_run(context, x, y, s);
      printf("run: %d: %s\n", status, sum_last_error(context));
      status = sum_run(context, x, y, s);
      printf("again: %d: %s\n", status, sum_last_error(context));
    }
  } else {
    for (int i = 0; i < 110 && !status; ++i) {
      if (i == 10) {
        pthread_barrier_wait(&barrier);
        counts = 1;
      }
      status = sum_run(context, x, y, s);
    }
    pthread_barrier_wait(&barrier);
    counts = 0;
    if (is_first)
      printf("run: %d, s = %g %g, %d allocations\n", status, (double)s[0],
             (double)s[1], allocations);
  }
  pthread_barrier_wait(&barrier);
  sum_destroy(context);
  return NULL;
}

int main(int argc, char **argv) {
  mode = argc > 1 ? argv[1] : "run";
  const weir_mesh_info *mesh = sum_mesh();
  printf("%u ranks, %s=%u\n", mesh->ranks, mesh->axes[0], mesh->sizes[0]);
  weir_config config = WEIR_CONFIG_INIT;
  sum_ctx *context;
  char message[256] = "";
  config.message = message;
  config.message_bytes = sizeof message;
  weir_status status = sum_create(NULL, &config, &context);
  printf("alone: %d: %s\n", status, message);
  all = weir_comm_threads_create(RANKS, TIMEOUT_MS);
  pthread_barrier_init(&barrier, NULL, RANKS);
  pthread_t threads[RANKS];
  int numbers[RANKS];
  for (int i = 0; i < RANKS; ++i) {
    numbers[i] = i;
    pthread_create(&threads[i], NULL, run_rank, &numbers[i]);
  }
  for (int i = 0; i < RANKS; ++i)
    pthread_join(threads[i], NULL);
  weir_comm_threads_free(all);
  return 0;
}
