// Trains a model on ranks that are threads or, with -DUSE_MPI, processes.
//   heap: warm steps call the heap nowhere, neither in the library nor in the
//     transport, and all ranks have the same variables after them;
//   check: a label of the last rank is no class. All ranks report it, and no
//     variable changes.

#include "net.h"

#ifdef USE_MPI
#include "runtime/comm/mpi.h"
// MPI has buffers for messages that come early, and adds some at any time. So
// one of several rounds must have no call.
enum { ROUNDS = 5 };
#else
#include "runtime/comm/threads.h"
enum { ROUNDS = 1 };
#endif

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WARM_STEPS = 100, STEPS = 100, MOST_RANKS = 8, TIMEOUT_MS = 20000 };

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t number, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);
void *__libc_memalign(size_t align, size_t bytes);

static _Atomic int counts, calls;
static int calls_in[ROUNDS]; // of this process

// These are before those of the C library for all parts of the process.
void *malloc(size_t bytes) {
  calls += counts;
  return __libc_malloc(bytes);
}
void *calloc(size_t number, size_t bytes) {
  calls += counts;
  return __libc_calloc(number, bytes);
}
void *realloc(void *memory, size_t bytes) {
  calls += counts;
  return __libc_realloc(memory, bytes);
}
void *aligned_alloc(size_t align, size_t bytes) {
  calls += counts;
  return __libc_memalign(align, bytes);
}
int posix_memalign(void **memory, size_t align, size_t bytes) {
  calls += counts;
  *memory = __libc_memalign(align, bytes);
  return *memory ? 0 : 12;
}

typedef struct rank {
  pthread_t thread;
  const weir_comm *comm;
  int status;
  int changed; // whether the step that fails has changed variables
  uint64_t hash;
  char message[256];
} rank;

static int is_check;
static const weir_model_info *model;

// Waits for all ranks, without a call of the heap.
static void meet(void);

static uint64_t hash_of(const void *data, size_t bytes) {
  const unsigned char *at = data;
  uint64_t value = 14695981039346656037u;
  for (size_t i = 0; i < bytes; ++i)
    value = (value ^ at[i]) * 1099511628211u;
  return value;
}

static uint32_t find_step(void) {
  for (uint32_t i = 0; i < model->num_functions; ++i)
    if (!strcmp(model->functions[i].name, "train_step"))
      return i;
  abort();
}

// Values that differ in all ranks: pixels from 0 to 1, and labels below 10.
static void fill(const weir_tensor_info *info, void *data, int number) {
  for (int64_t i = 0; i < info->elements; ++i) {
    uint32_t random = ((uint32_t)i + 977u * (uint32_t)number) * 2654435761u;
    if (info->dtype == WEIR_F32)
      ((float *)data)[i] = (float)(random >> 8) / (float)(1 << 24);
    else
      ((int32_t *)data)[i] = (int32_t)((random >> 8) % 10);
  }
}

static void train(rank *r, void *context) {
  uint32_t number = find_step();
  const weir_function_info *step = &model->functions[number];
  uint32_t count = step->num_inputs + step->num_outputs;
  void *tensors[8];
  for (uint32_t i = 0; i < count; ++i) {
    const weir_tensor_info *info = i < step->num_inputs
                                       ? &step->inputs[i]
                                       : &step->outputs[i - step->num_inputs];
    tensors[i] = aligned_alloc(64, (info->bytes + 63) / 64 * 64);
    if (i < step->num_inputs)
      fill(info, tensors[i], r->comm->rank);
    if (is_check && info->dtype == WEIR_I32 &&
        r->comm->rank == r->comm->size - 1)
      ((int32_t *)tensors[i])[0] = 10;
  }
  const void *state = model->state(context);
  uint64_t before = hash_of(state, model->state_bytes);
  if (is_check) {
    r->status = model->run(context, number, tensors, count);
    snprintf(r->message, sizeof r->message, "%s", model->last_error(context));
  }
  for (int i = 0; !is_check && i < WARM_STEPS && !r->status; ++i)
    r->status = model->run(context, number, tensors, count);
  for (int round = 0; !is_check && round < ROUNDS; ++round) {
    meet();
    calls = 0;
    meet();
    counts = 1;
    for (int i = 0; i < STEPS && !r->status; ++i)
      r->status = model->run(context, number, tensors, count);
    meet();
    counts = 0;
    calls_in[round] = calls;
  }
  r->hash = hash_of(state, model->state_bytes);
  r->changed = r->hash != before;
  for (uint32_t i = 0; i < count; ++i)
    free(tensors[i]);
}

static void *run_rank(void *argument) {
  rank *r = argument;
  weir_config config = WEIR_CONFIG_INIT;
  void *context;
  config.comm = r->comm;
  config.message = r->message;
  config.message_bytes = sizeof r->message;
  r->status = model->create(NULL, &config, &context);
  if (!r->status)
    r->status = model->run(context, model->init - 1, NULL, 0);
  if (r->status) {
    printf("create: %d: %s\n", r->status, r->message);
    exit(1);
  }
  train(r, context);
  model->destroy(context);
  return NULL;
}

static void tell(const rank *ranks, int size, const int *heap_calls) {
  int same = 1, changed = 0, status = ranks[0].status;
  for (int i = 0; i < size; ++i) {
    same &= ranks[i].hash == ranks[0].hash;
    changed |= ranks[i].changed;
    if (ranks[i].status != status)
      status = -1;
  }
  if (is_check)
    for (int i = 0; i < size; ++i)
      printf("rank %d: %d: %s\n", i, ranks[i].status, ranks[i].message);
  printf("%d ranks: status %d, %s variables, %s", size, status,
         same ? "the same" : "different", changed ? "changed" : "unchanged");
  int fewest = heap_calls[0];
  for (int i = 1; i < ROUNDS; ++i)
    fewest = heap_calls[i] < fewest ? heap_calls[i] : fewest;
  if (!is_check)
    printf(", %d calls of the heap", fewest);
  printf("\n");
}

#ifdef USE_MPI
static void meet(void) {}

static void run_all(void) {
  int provided;
  MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
  weir_comm comm;
  weir_comm_mpi_create(MPI_COMM_WORLD, TIMEOUT_MS, &comm);
  rank own = {.comm = &comm}, ranks[MOST_RANKS];
  run_rank(&own);
  int all_calls[ROUNDS] = {0};
  MPI_Gather(&own, sizeof own, MPI_BYTE, ranks, sizeof own, MPI_BYTE, 0,
             MPI_COMM_WORLD);
  MPI_Reduce(calls_in, all_calls, ROUNDS, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (!comm.rank)
    tell(ranks, comm.size, all_calls);
  weir_comm_mpi_free(&comm);
  MPI_Finalize();
}
#else
static pthread_barrier_t barrier;
static void meet(void) { pthread_barrier_wait(&barrier); }

static void run_all(void) {
  int size = (int)net_mesh()->ranks;
  rank ranks[MOST_RANKS];
  weir_comm_threads *all = weir_comm_threads_create(size, TIMEOUT_MS);
  pthread_barrier_init(&barrier, NULL, (unsigned)size);
  for (int i = 0; i < size; ++i) {
    ranks[i] = (rank){.comm = weir_comm_threads_of(all, i)};
    pthread_create(&ranks[i].thread, NULL, run_rank, &ranks[i]);
  }
  for (int i = 0; i < size; ++i)
    pthread_join(ranks[i].thread, NULL);
  tell(ranks, size, calls_in);
  weir_comm_threads_free(all);
}
#endif

int main(int argc, char **argv) {
  is_check = argc > 1 && !strcmp(argv[1], "check");
  model = net_info();
  run_all();
  return 0;
}
