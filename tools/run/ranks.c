// The ranks of a model as threads of this process.

#define _POSIX_C_SOURCE 200809L
#include "tools/run/ranks.h"
#include "runtime/comm/threads.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum call { CREATE, RUN, RESTORE, END };

struct rank {
  int number;
  pthread_t thread;
  void *context;
  void **tensors; // of the function that runs: this rank's parts
  weir_status status;
  char message[1024]; // of a create that fails
};

// The one joined model of the process.
static struct joined {
  weir_model_info info; // what callers see
  const weir_model_info *of;
  const weir_mesh_info *mesh;
  weir_comm_threads *comm;
  struct rank *ranks;
  int size, timeout_ms;
  char message[1024];
  // A call that all threads execute.
  pthread_mutex_t mutex;
  pthread_cond_t begins, ends;
  unsigned round;
  int left;
  enum call call;
  const weir_config *config;
  const char *path;
  uint32_t function;
} all = {.mutex = PTHREAD_MUTEX_INITIALIZER,
         .begins = PTHREAD_COND_INITIALIZER,
         .ends = PTHREAD_COND_INITIALIZER};

static const uint32_t *shards_of(uint32_t function, uint32_t tensor) {
  return all.mesh->shards[function] ? all.mesh->shards[function][tensor] : NULL;
}

static const weir_tensor_info *tensor_of(uint32_t function, uint32_t i) {
  const weir_function_info *f = &all.of->functions[function];
  return i < f->num_inputs ? &f->inputs[i] : &f->outputs[i - f->num_inputs];
}

/// The number of parts along a dimension, and which of them a rank has.
static uint32_t part_of(uint32_t axes, int rank, uint32_t *index) {
  uint32_t rest = (uint32_t)rank, parts = 1;
  *index = 0;
  for (uint32_t i = all.mesh->num_axes; i-- > 0;) {
    uint32_t size = all.mesh->sizes[i];
    if (axes >> i & 1) {
      *index += rest % size * parts;
      parts *= size;
    }
    rest /= size;
  }
  return parts;
}

static size_t width_of(const weir_tensor_info *info) {
  return info->elements ? info->bytes / (size_t)info->elements : 0;
}

/// Copies a rank's part of a tensor out of the whole, or into it.
static void copy_part(uint32_t function, uint32_t tensor, int rank, char *whole,
                      char *part, int into_whole) {
  const weir_tensor_info *info = tensor_of(function, tensor);
  const uint32_t *shards = shards_of(function, tensor);
  int64_t at[64] = {0};
  int rank_of_tensor = info->rank;
  // The innermost dimensions that are whole are one run of bytes.
  int outer = rank_of_tensor;
  size_t run = width_of(info);
  while (outer > 0 && (!shards || !shards[outer - 1]))
    run *= (size_t)info->shape[--outer];
  if (outer > 0)
    run *= (size_t)info->shape[--outer];
  if (!info->bytes)
    return;
  for (size_t from = 0; from < info->bytes; from += run) {
    size_t to = 0, stride = width_of(info);
    for (int d = rank_of_tensor; d-- > 0;) {
      uint32_t index = 0, parts = shards ? part_of(shards[d], rank, &index) : 1;
      to += (size_t)(at[d] + (int64_t)index * info->shape[d]) * stride;
      stride *= (size_t)info->shape[d] * parts;
    }
    if (into_whole)
      memcpy(whole + to, part + from, run);
    else
      memcpy(part + from, whole + to, run);
    for (int d = outer; d-- > 0;) {
      if (++at[d] < info->shape[d])
        break;
      at[d] = 0;
    }
  }
}

static void execute(struct rank *rank) {
  weir_config config;
  switch (all.call) {
  case CREATE:
    config = *all.config;
    config.comm = weir_comm_threads_of(all.comm, rank->number);
    config.message = rank->message;
    config.message_bytes = sizeof rank->message;
    rank->status = all.of->create(NULL, &config, &rank->context);
    break;
  case RUN: {
    const weir_function_info *f = &all.of->functions[all.function];
    rank->status = all.of->run(rank->context, all.function, rank->tensors,
                               f->num_inputs + f->num_outputs);
    break;
  }
  case RESTORE:
    rank->status = all.of->restore(rank->context, all.path);
    break;
  case END:
    all.of->destroy(rank->context);
    rank->context = NULL;
    break;
  }
}

static void *serve(void *argument) {
  struct rank *rank = argument;
  unsigned seen = 0;
  enum call call;
  do {
    pthread_mutex_lock(&all.mutex);
    while (all.round == seen)
      pthread_cond_wait(&all.begins, &all.mutex);
    seen = all.round;
    call = all.call;
    pthread_mutex_unlock(&all.mutex);
    execute(rank);
    pthread_mutex_lock(&all.mutex);
    if (!--all.left)
      pthread_cond_signal(&all.ends);
    pthread_mutex_unlock(&all.mutex);
  } while (call != END);
  return NULL;
}

/// Has all ranks execute the call. The status of the first that fails.
static weir_status call_all(enum call call, int count) {
  pthread_mutex_lock(&all.mutex);
  all.call = call;
  all.left = count;
  ++all.round;
  pthread_cond_broadcast(&all.begins);
  while (all.left)
    pthread_cond_wait(&all.ends, &all.mutex);
  pthread_mutex_unlock(&all.mutex);
  for (int i = 0; i < count; ++i) {
    struct rank *rank = &all.ranks[i];
    if (call == END || !rank->status)
      continue;
    const char *text =
        call == CREATE ? rank->message : all.of->last_error(rank->context);
    snprintf(all.message, sizeof all.message, "%.1000s", text);
    return rank->status;
  }
  return WEIR_OK;
}

static void end_ranks(int started) {
  if (started)
    call_all(END, started);
  for (int i = 0; i < started; ++i)
    pthread_join(all.ranks[i].thread, NULL);
  for (int i = 0; all.ranks && i < all.size; ++i) {
    for (uint32_t t = 0; all.ranks[i].tensors && all.ranks[i].tensors[t]; ++t)
      free(all.ranks[i].tensors[t]);
    free(all.ranks[i].tensors);
  }
  free(all.ranks);
  all.ranks = NULL;
  weir_comm_threads_free(all.comm);
  all.comm = NULL;
}

/// The most bytes that a tensor of each number has, in any function.
static uint32_t count_tensors(void) {
  uint32_t most = 0;
  for (uint32_t f = 0; f < all.of->num_functions; ++f) {
    uint32_t count =
        all.of->functions[f].num_inputs + all.of->functions[f].num_outputs;
    most = count > most ? count : most;
  }
  return most;
}

static int make_tensors(struct rank *rank) {
  uint32_t count = count_tensors();
  rank->tensors = calloc((size_t)count + 1, sizeof *rank->tensors);
  if (!rank->tensors)
    return 1;
  for (uint32_t i = 0; i < count; ++i) {
    size_t bytes = 64;
    for (uint32_t f = 0; f < all.of->num_functions; ++f)
      if (i < all.of->functions[f].num_inputs +
                  all.of->functions[f].num_outputs &&
          tensor_of(f, i)->bytes > bytes)
        bytes = tensor_of(f, i)->bytes;
    rank->tensors[i] = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!rank->tensors[i])
      return 1;
  }
  return 0;
}

static weir_status create(void *memory, const weir_config *config, void **out) {
  *out = NULL;
  all.config = config;
  all.comm = weir_comm_threads_create(all.size, all.timeout_ms);
  all.ranks = calloc((size_t)all.size, sizeof *all.ranks);
  int started = 0, bad = !all.comm || !all.ranks;
  for (; !bad && started < all.size; ++started) {
    struct rank *rank = &all.ranks[started];
    rank->number = started;
    if (make_tensors(rank) ||
        pthread_create(&rank->thread, NULL, serve, rank)) {
      bad = 1;
      break;
    }
  }
  weir_status status = bad ? WEIR_ERR_MEMORY : call_all(CREATE, started);
  if (!status) {
    *out = &all;
    return WEIR_OK;
  }
  if (config->message && config->message_bytes)
    snprintf(config->message, config->message_bytes, "%s",
             bad ? "not enough memory for the ranks" : all.message);
  end_ranks(started);
  return status;
}

/// The outputs of all ranks as one tensor. What ranks have whole must be equal.
static weir_status gather_output(uint32_t function, uint32_t i, char *whole) {
  const weir_tensor_info *info = tensor_of(function, i);
  const uint32_t *shards = shards_of(function, i);
  for (int r = 0; r < all.size; ++r) {
    char *part = all.ranks[r].tensors[i];
    if (shards || !r) {
      copy_part(function, i, r, whole, part, /*into_whole=*/1);
    } else if (memcmp(part, all.ranks[0].tensors[i], info->bytes)) {
      snprintf(all.message, sizeof all.message,
               "output '%.200s': the bits of rank %d differ from those of "
               "rank 0",
               info->tensor, r);
      return WEIR_ERR_PEER;
    }
  }
  return WEIR_OK;
}

static weir_status run(void *context, uint32_t function, void *const *tensors,
                       uint32_t count) {
  const weir_function_info *f = &all.of->functions[function];
  all.message[0] = 0;
  all.function = function;
  for (int r = 0; r < all.size; ++r)
    for (uint32_t i = 0; i < f->num_inputs; ++i)
      copy_part(function, i, r, tensors[i], all.ranks[r].tensors[i],
                /*into_whole=*/0);
  weir_status status = call_all(RUN, all.size);
  for (uint32_t i = f->num_inputs; !status && i < count; ++i)
    status = gather_output(function, i, tensors[i]);
  return status;
}

static const char *last_error(const void *context) { return all.message; }

static void destroy(void *context) {
  if (context)
    end_ranks(all.size);
}

/// Variables are whole on each rank: the first one writes them.
static weir_status save(void *context, const char *path) {
  weir_status status = all.of->save(all.ranks[0].context, path);
  snprintf(all.message, sizeof all.message, "%.1000s",
           all.of->last_error(all.ranks[0].context));
  return status;
}

static weir_status restore(void *context, const char *path) {
  all.path = path;
  return call_all(RESTORE, all.size);
}

/// The tensors of all ranks together.
static const weir_tensor_info *join_tensors(uint32_t function, uint32_t first,
                                            uint32_t count,
                                            const weir_tensor_info *from) {
  weir_tensor_info *to = calloc((size_t)count + 1, sizeof *to);
  for (uint32_t i = 0; to && i < count; ++i) {
    const uint32_t *shards = shards_of(function, first + i);
    to[i] = from[i];
    int64_t *shape = calloc((size_t)from[i].rank + 1, sizeof *shape);
    if (!shape)
      return NULL;
    to[i].shape = shape;
    for (int d = 0; d < from[i].rank; ++d) {
      uint32_t index, parts = shards ? part_of(shards[d], 0, &index) : 1;
      shape[d] = from[i].shape[d] * parts;
      to[i].elements *= parts;
      to[i].bytes *= parts;
    }
  }
  return to;
}

const weir_model_info *ranks_join(const weir_model_info *info,
                                  const weir_mesh_info *mesh, int ranks,
                                  int timeout_ms, char *error, size_t size) {
  all.of = info;
  all.mesh = mesh;
  all.size = ranks;
  all.timeout_ms = timeout_ms;
  all.info = *info;
  weir_function_info *functions =
      calloc((size_t)info->num_functions + 1, sizeof *functions);
  int bad = !functions;
  for (uint32_t f = 0; !bad && f < info->num_functions; ++f) {
    functions[f] = info->functions[f];
    functions[f].inputs =
        join_tensors(f, 0, functions[f].num_inputs, info->functions[f].inputs);
    functions[f].outputs =
        join_tensors(f, functions[f].num_inputs, functions[f].num_outputs,
                     info->functions[f].outputs);
    bad = !functions[f].inputs || !functions[f].outputs;
  }
  if (bad) {
    snprintf(error, size, "out of memory");
    return NULL;
  }
  all.info.functions = functions;
  all.info.create = create;
  all.info.run = run;
  all.info.last_error = last_error;
  all.info.destroy = destroy;
  all.info.save = info->save ? save : NULL;
  all.info.restore = info->restore ? restore : NULL;
  all.info.state = NULL;
  return &all.info;
}
