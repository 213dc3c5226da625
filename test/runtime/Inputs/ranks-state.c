// Checkpoints of several ranks, which are threads here. The model is made by
// hand: variables that all ranks have, some that the ranks of one axis or of
// two divide, and a tensor in two slices that are divided.
//
//   ranks-state save PATH DATA MODEL GENERATION   a mesh of DATA x MODEL ranks
//   ranks-state restore PATH DATA MODEL [BAD]     prints the generation; rank
//                                                 BAD reads another path
//   ranks-state faults PATH DATA MODEL            each call of the system
//   fails, ranks-state deaths PATH DATA MODEL            or its rank stops

#include "runtime/comm/mesh.h"
#include "runtime/comm/threads.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

enum { RANKS_MOST = 64, TIMEOUT_MS = 150, LONG_MS = 20000 };

// Whole tensors: their sizes, and the bits of the axes that divide them.
enum { BIAS, FLAGS, MATRIX, ROWS0, ROWS1, STEP, TABLE, VARIABLES };
static const struct {
  const char *name, *key;
  weir_dtype dtype;
  int32_t rank;
  int64_t sizes[3];
  uint32_t axes[3];
  int64_t starts[2], tensor[2]; // of a slice; 0: none
} all[VARIABLES] = {
    [BIAS] = {"bias", "bias", WEIR_F32, 1, {3}, {0}, {0}, {0}},
    [FLAGS] = {"flags", "flags", WEIR_BOOL, 1, {5}, {0}, {0}, {0}},
    [MATRIX] = {"layer/matrix",
                "layer/matrix",
                WEIR_F32,
                2,
                {12, 5},
                {1, 0},
                {0},
                {0}},
    [ROWS0] =
        {"rows/part_0", "rows", WEIR_I32, 2, {4, 6}, {2, 1}, {0, 0}, {10, 6}},
    [ROWS1] =
        {"rows/part_1", "rows", WEIR_I32, 2, {6, 6}, {0, 1}, {4, 0}, {10, 6}},
    [STEP] = {"step", "step", WEIR_I64, 0, {0}, {0}, {0}, {0}},
    [TABLE] =
        {"table", "table", WEIR_F64, 3, {2, 12, 300}, {0, 3, 0}, {0}, {0}},
};

static uint32_t mesh_sizes[2];
static const char *const mesh_axes[] = {"data", "model"};
static int64_t shapes[VARIABLES][3];
static weir_variable_info variables[VARIABLES];
static const uint32_t *shards[VARIABLES];
static weir_slice slices[VARIABLES];
static weir_entry *const entries[] = {NULL};
static const weir_level level = {entries, {0}};
static weir_model_info info;
static weir_mesh_info mesh_info;
static const weir_mesh mesh = {
    .info = &mesh_info, .text = "test", .fingerprint = 1};
static weir_mesh_model model;

static int64_t bytes_of(weir_dtype dtype) {
  return dtype == WEIR_BOOL                       ? 1
         : dtype == WEIR_F32 || dtype == WEIR_I32 ? 4
                                                  : 8;
}

static void make_model(uint32_t data, uint32_t columns) {
  mesh_sizes[0] = data;
  mesh_sizes[1] = columns;
  size_t offset = 0;
  for (int v = 0; v < VARIABLES; ++v) {
    int64_t elements = 1;
    for (int d = 0; d < all[v].rank; ++d) {
      shapes[v][d] = all[v].sizes[d] /
                     weir_group_of(2, mesh_sizes, all[v].axes[d], 0).size;
      elements *= shapes[v][d];
    }
    size_t bytes = (size_t)(elements * bytes_of(all[v].dtype));
    variables[v] =
        (weir_variable_info){all[v].name, all[v].key, all[v].dtype, all[v].rank,
                             shapes[v],   elements,   bytes,        offset};
    shards[v] = all[v].axes[0] || all[v].axes[1] ? all[v].axes : NULL;
    if (all[v].tensor[0])
      slices[v] = (weir_slice){all[v].tensor, all[v].starts, NULL, 0, NULL, 0};
    offset += (bytes + 63) / 64 * 64;
  }
  size_t at = (sizeof(weir_context) + VARIABLES * 4 + 63) / 64 * 64;
  info = (weir_model_info){.abi_version = WEIR_ABI_VERSION,
                           .context_bytes = at + sizeof(weir_ranks) + 128,
                           .threads = 1,
                           .num_levels = 1,
                           .state_bytes = offset,
                           .num_variables = VARIABLES,
                           .variables = variables};
  info.context_bytes = (info.context_bytes + 63) / 64 * 64;
  mesh_info = (weir_mesh_info){.ranks = data * columns,
                               .num_axes = 2,
                               .axes = mesh_axes,
                               .sizes = mesh_sizes,
                               .variables = shards,
                               .count = data * columns};
  model = (weir_mesh_model){
      {.info = &info, .levels = &level, .slices = slices}, &mesh, at};
}

// The element of a generation at a place of the whole tensor.
static double value_of(int v, int64_t index, int64_t generation) {
  return all[v].dtype == WEIR_BOOL ? (double)((index + generation) % 2)
                                   : (double)(generation * 100000 + index);
}

static double get(const char *at, weir_dtype dtype) {
  return dtype == WEIR_BOOL  ? *(const uint8_t *)at
         : dtype == WEIR_F32 ? (double)*(const float *)at
         : dtype == WEIR_I32 ? *(const int32_t *)at
         : dtype == WEIR_I64 ? (double)*(const int64_t *)at
                             : *(const double *)at;
}

static void set(char *at, weir_dtype dtype, double value) {
  if (dtype == WEIR_BOOL)
    *(uint8_t *)at = (uint8_t)value;
  else if (dtype == WEIR_F32)
    *(float *)at = (float)value;
  else if (dtype == WEIR_I32)
    *(int32_t *)at = (int32_t)value;
  else if (dtype == WEIR_I64)
    *(int64_t *)at = (int64_t)value;
  else
    *(double *)at = value;
}

// Sets the elements of a rank, or counts those that differ from the generation.
static int visit(weir_context *context, int rank, int64_t generation,
                 int is_set) {
  int wrong = 0;
  for (int v = 0; v < VARIABLES; ++v)
    for (int64_t e = 0; e < variables[v].elements; ++e) {
      int64_t rest = e, index = 0, at[3];
      for (int d = all[v].rank; d-- > 0; rest /= shapes[v][d])
        at[d] = rest % shapes[v][d];
      for (int d = 0; d < all[v].rank; ++d) {
        weir_group group = weir_group_of(2, mesh_sizes, all[v].axes[d], rank);
        int64_t place = at[d] + group.index * shapes[v][d];
        if (all[v].tensor[0])
          index = index * all[v].tensor[d] + place + all[v].starts[d];
        else
          index = index * all[v].sizes[d] + place;
      }
      char *element = (char *)context->state + variables[v].offset +
                      e * bytes_of(all[v].dtype);
      double value = value_of(v, index, generation);
      if (is_set)
        set(element, all[v].dtype, value);
      wrong += get(element, all[v].dtype) != value;
    }
  return wrong;
}

// Of the generation in a rank's memory.
static int64_t generation_in(weir_context *context) {
  return *(int64_t *)((char *)context->state + variables[STEP].offset) / 100000;
}

// The call of the system that fails: number `fault_at` of this rank's, from 1.
static int fault_rank = -1, fault_at, is_death;
static _Thread_local int this_rank = -1;
static _Thread_local int calls;
static _Atomic int hits;

static int fails(void) {
  if (this_rank != fault_rank || this_rank < 0 || ++calls != fault_at)
    return 0;
  ++hits;
  if (is_death)
    pthread_exit(NULL);
  errno = ENOSPC;
  return 1;
}

#define WRAP(type, name, parameters, arguments)                                \
  type __real_##name parameters;                                               \
  type __wrap_##name parameters;                                               \
  type __wrap_##name parameters {                                              \
    return fails() ? (type) - 1 : __real_##name arguments;                     \
  }
WRAP(ssize_t, write, (int file, const void *from, size_t bytes),
     (file, from, bytes))
WRAP(int, rename, (const char *from, const char *to), (from, to))
WRAP(int, unlink, (const char *path), (path))
// Disks take long, and no machine stops in this test.
int __wrap_fsync(int file);
int __wrap_fsync(int file) { return fails() ? -1 : file < 0; }
int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  int mode = flags & 0100 ? va_arg(list, int) : 0;
  va_end(list);
  return fails() ? -1 : __real_open(path, flags, mode);
}

static struct call {
  weir_comm_threads *ranks;
  int is_save, bad;
  int64_t generation; // to save; found by a restore
  const char *path;
  weir_status status[RANKS_MOST];
  char message[RANKS_MOST][WEIR_MESSAGE_BYTES];
  _Atomic int wrong;
} now;

static void *run_rank(void *argument) {
  int rank = (int)(intptr_t)argument;
  weir_config config = WEIR_CONFIG_INIT;
  config.comm = weir_comm_threads_of(now.ranks, rank);
  weir_context *context;
  now.status[rank] = weir_mesh_create(&model, NULL, &config, &context);
  if (now.status[rank])
    return NULL;
  this_rank = rank;
  calls = 0;
  if (now.is_save) {
    visit(context, rank, now.generation, /*is_set=*/1);
    context->initialized = 1;
    now.status[rank] = weir_mesh_save(&model, context, now.path);
  } else {
    now.status[rank] = weir_mesh_restore(
        &model, context, rank == now.bad ? "no/such" : now.path);
  }
  this_rank = -1;
  if (!now.is_save && !now.status[rank]) {
    int64_t generation = generation_in(context);
    if (rank == 0)
      now.generation = generation;
    now.wrong += visit(context, rank, generation, /*is_set=*/0);
  }
  memcpy(now.message[rank], context->message, WEIR_MESSAGE_BYTES);
  weir_model_destroy(&model.model, context);
  return NULL;
}

static void call_all(int is_save, const char *path, int64_t generation, int bad,
                     int timeout_ms) {
  int ranks = (int)mesh_info.ranks;
  pthread_t threads[RANKS_MOST];
  memset(&now, 0, sizeof now);
  now.ranks = weir_comm_threads_create(ranks, timeout_ms);
  now.is_save = is_save;
  now.path = path;
  now.bad = bad;
  now.generation = generation;
  for (int i = 0; i < ranks; ++i)
    pthread_create(&threads[i], NULL, run_rank, (void *)(intptr_t)i);
  for (int i = 0; i < ranks; ++i)
    pthread_join(threads[i], NULL);
  weir_comm_threads_free(now.ranks);
}

// Prints what all ranks answer, or what each of them does where they differ.
static int tell(const char *what) {
  int is_alike = 1;
  for (uint32_t i = 1; i < mesh_info.ranks; ++i)
    is_alike &= now.status[i] == now.status[0] &&
                !strcmp(now.message[i], now.message[0]);
  for (uint32_t i = 0; i < (is_alike ? 1 : mesh_info.ranks); ++i)
    printf("%s: %s%d: %s\n", what, is_alike ? "all: " : "", now.status[i],
           now.message[i]);
  return now.status[0];
}

// Each call of each rank fails in turn, or its rank stops there. A checkpoint
// is whole each time: the old one, or the new one.
static int sweep(const char *path) {
  int failures = 0, cases = 0, kept = 0;
  int64_t generation = 1;
  call_all(1, path, generation, -1, LONG_MS);
  failures += now.status[0] != 0;
  for (int rank = 0; rank < (int)mesh_info.ranks; ++rank)
    for (fault_at = 1;; ++fault_at) {
      fault_rank = rank;
      hits = 0;
      call_all(1, path, generation + 1, -1, is_death ? TIMEOUT_MS : LONG_MS);
      fault_rank = -1;
      if (!hits) {
        failures += now.status[0] != 0;
        ++generation;
        break;
      }
      ++cases;
      int other = rank == 0, status = (int)now.status[other];
      for (int i = 0; i < (int)mesh_info.ranks; ++i)
        if (!is_death && (now.status[i] != now.status[other] ||
                          strcmp(now.message[i], now.message[other]))) {
          printf("rank %d, call %d: rank %d answers %d: %s, not %s\n", rank,
                 fault_at, i, now.status[i], now.message[i],
                 now.message[other]);
          ++failures;
        }
      char wanted[32];
      snprintf(wanted, sizeof wanted, "rank %d: ", rank);
      if (!is_death && status && !strstr(now.message[other], wanted)) {
        printf("rank %d, call %d: %s\n", rank, fault_at, now.message[other]);
        ++failures;
      }
      call_all(0, path, 0, -1, LONG_MS);
      int is_old = now.generation == generation;
      kept += is_old;
      if (now.status[0] || now.wrong ||
          (!is_old && now.generation != generation + 1) ||
          (!is_death && !status && is_old)) {
        printf("rank %d, call %d: status %d, then %d, %d wrong, generation "
               "%lld of %lld: %s\n",
               rank, fault_at, status, now.status[0], now.wrong,
               (long long)now.generation, (long long)generation,
               now.message[0]);
        ++failures;
      }
      generation = now.generation;
    }
  printf("%d failures\n", failures);
  fprintf(stderr, "%d cases, %d kept the old checkpoint\n", cases, kept);
  return failures != 0;
}

int main(int argc, char **argv) {
  if (argc < 5)
    return 2;
  const char *mode = argv[1], *path = argv[2];
  int last = argc > 5 ? atoi(argv[5]) : -1;
  make_model((uint32_t)atoi(argv[3]), (uint32_t)atoi(argv[4]));
  if (!strcmp(mode, "save")) {
    call_all(1, path, last, -1, LONG_MS);
    return tell("save") != 0;
  }
  if (!strcmp(mode, "restore")) {
    call_all(0, path, 0, last, LONG_MS);
    int status = tell("restore");
    if (!status)
      printf("generation %lld, %d wrong\n", (long long)now.generation,
             now.wrong);
    return status || now.wrong;
  }
  is_death = !strcmp(mode, "deaths");
  return sweep(path);
}
