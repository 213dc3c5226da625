// Ranks as threads that train with several buckets of gradients in the air: no
// allocation in a step, a check that fails on one rank, and a rank that is
// silent.

#include "net.h"

#include "runtime/comm/threads.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 3, TIMEOUT_MS = 500, STEPS = 20 };

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
static pthread_barrier_t barrier;
static float losses[2][STEPS];

static void fill(int rank, int step, float *images, int32_t *labels) {
  for (unsigned i = 0; i < NET_TRAIN_STEP_IMAGE_ELEMENTS; ++i)
    images[i] =
        (float)((i * 131 + (unsigned)(rank * 17 + step * 7)) % 251) / 251;
  for (unsigned i = 0; i < NET_TRAIN_STEP_LABELS_ELEMENTS; ++i)
    labels[i] = (int32_t)((i + (unsigned)(rank + step)) % 10);
}

static net_ctx *create(int rank) {
  weir_config config = WEIR_CONFIG_INIT;
  char message[256] = "";
  config.comm = weir_comm_threads_of(all, rank);
  config.message = message;
  config.message_bytes = sizeof message;
  net_ctx *context;
  if (net_create(NULL, &config, &context) || net_init(context)) {
    printf("create: %s\n", message);
    exit(1);
  }
  return context;
}

static void *run_rank(void *argument) {
  int rank = *(int *)argument, is_first = rank == 0;
  static _Thread_local float images[NET_TRAIN_STEP_IMAGE_ELEMENTS];
  static _Thread_local int32_t labels[NET_TRAIN_STEP_LABELS_ELEMENTS];
  // The second time rank 1 has a bad label in step 3, before a good one.
  for (int round = 0; round < 2; ++round) {
    net_ctx *context = create(rank);
    float loss;
    for (int step = 0; step < STEPS; ++step) {
      fill(rank, step, images, labels);
      if (round && step == 3) {
        labels[1] = rank == 1 ? 10 : labels[1];
        weir_status status = net_train_step(context, images, labels, &loss);
        if (is_first)
          printf("bad label: %d: %s\n", status, net_last_error(context));
        fill(rank, step, images, labels);
      }
      if (!round && step == 5) {
        pthread_barrier_wait(&barrier);
        counts = 1;
      }
      weir_status status = net_train_step(context, images, labels, &loss);
      if (status)
        printf("rank %d, step %d: %s\n", rank, step, net_last_error(context));
      if (is_first)
        losses[round][step] = loss;
    }
    pthread_barrier_wait(&barrier);
    counts = 0;
    // At last rank 2 does not run.
    if (round && rank != 2)
      for (int again = 0; again < 2; ++again) {
        weir_status status = net_train_step(context, images, labels, &loss);
        if (is_first)
          printf("silent: %d: %s\n", status, net_last_error(context));
      }
    pthread_barrier_wait(&barrier);
    net_destroy(context);
  }
  return NULL;
}

int main(void) {
  const weir_mesh_info *mesh = net_mesh();
  int in_air = 0, most = 0;
  for (uint32_t i = 0; i < mesh->num_items; ++i) {
    in_air += mesh->schedule[i].kind == WEIR_START;
    in_air -= mesh->schedule[i].kind == WEIR_WAIT;
    most = in_air > most ? in_air : most;
  }
  printf("at most %d in the air, %d at the end\n", most, in_air);
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
  printf("%d allocations, the losses are %s\n", allocations,
         memcmp(losses[0], losses[1], sizeof losses[0]) ? "others"
                                                        : "the same");
  weir_comm_threads_free(all);
  return 0;
}
