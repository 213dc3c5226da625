// Ranks whose models have collective operators: with -DEXCHANGE the same model
// for both, or else one for each rank.

#ifdef EXCHANGE
#include "exchange.h"
#else
#include "first.h"
#include "second.h"
#endif

#include "runtime/comm/threads.h"

#include <pthread.h>
#include <stdio.h>

enum { RANKS = 2, TIMEOUT_MS = 20000 };

static weir_comm_threads *all;
static pthread_barrier_t barrier;

static void print(int rank, const char *name, const float *values, int count) {
  printf("rank %d: %s", rank, name);
  for (int i = 0; i < count; ++i)
    printf(" %g", (double)values[i]);
  printf("\n");
}

static void run(int rank, void *context, const weir_model_info *model) {
#ifdef EXCHANGE
  float x[6], sum[6], gathered[12], each[6];
  for (int i = 0; i < 6; ++i)
    x[i] = (float)(11 * rank + i);
  void *tensors[] = {x, sum, gathered, each};
#else
  float x[] = {1, 2, 3, 4, -5, 6, -7, 8}, y[6];
  void *tensors[] = {x, y};
#endif
  weir_status status =
      model->run(context, 0, tensors, sizeof tensors / sizeof *tensors);
  if (status)
    printf("rank %d: run: %d: %s\n", rank, status, model->last_error(context));
  for (int i = 0; i < RANKS; ++i) {
    pthread_barrier_wait(&barrier);
    if (i != rank)
      continue;
#ifdef EXCHANGE
    print(rank, "sum", sum, 6);
    print(rank, "all", gathered, 12);
    print(rank, "each", each, 6);
#else
    print(rank, "y", y, 6);
#endif
  }
}

static void *run_rank(void *argument) {
  int rank = *(int *)argument;
#ifdef EXCHANGE
  const weir_model_info *model = exchange_info();
#else
  const weir_model_info *model = rank ? second_info() : first_info();
#endif
  weir_config config = WEIR_CONFIG_INIT;
  char message[256] = "";
  config.comm = weir_comm_threads_of(all, rank);
  config.message = message;
  config.message_bytes = sizeof message;
  void *context;
  weir_status status = model->create(NULL, &config, &context);
  if (!status) {
    run(rank, context, model);
    model->destroy(context);
    return NULL;
  }
  for (int i = 0; i < RANKS; ++i) {
    pthread_barrier_wait(&barrier);
    if (i == rank)
      printf("rank %d: create: %d: %s\n", rank, status, message);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[RANKS];
  int numbers[RANKS];
  all = weir_comm_threads_create(RANKS, TIMEOUT_MS);
  pthread_barrier_init(&barrier, NULL, RANKS);
  for (int i = 0; i < RANKS; ++i) {
    numbers[i] = i;
    pthread_create(&threads[i], NULL, run_rank, &numbers[i]);
  }
  for (int i = 0; i < RANKS; ++i)
    pthread_join(threads[i], NULL);
  weir_comm_threads_free(all);
  return 0;
}
