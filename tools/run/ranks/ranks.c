// The ranks of a model: threads of this process, or one rank in each process.

#define _POSIX_C_SOURCE 200809L
#include "tools/run/ranks/ranks.h"
#include "runtime/comm/threads.h"
#include "tools/run/interrupt.h"
#include "tools/run/ranks/joined.h"
#include "tools/run/ranks/mpi.h"
#include "tools/run/ranks/parts.h"
#include "tools/run/ranks/role.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct joined joined = {.mutex = PTHREAD_MUTEX_INITIALIZER,
                        .begins = PTHREAD_COND_INITIALIZER,
                        .ends = PTHREAD_COND_INITIALIZER};

static const uint32_t *shards_of(uint32_t function, uint32_t tensor) {
  return joined.mesh->shards[function] ? joined.mesh->shards[function][tensor]
                                       : NULL;
}

/// Null for a number that the function does not have.
static const weir_tensor_info *find_tensor(uint32_t function, uint32_t i) {
  const weir_function_info *f = &joined.of->functions[function];
  return i < f->num_inputs + f->num_outputs ? tensor_of(f, i) : NULL;
}

static void copy_one(uint32_t function, uint32_t tensor, int rank, char *whole,
                     char *part, int into_whole) {
  copy_part(joined.mesh, find_tensor(function, tensor),
            shards_of(function, tensor), rank, whole, part, into_whole);
}

static void answer(struct rank *rank) {
  weir_config config;
  switch (joined.call) {
  case CREATE:
    config = *joined.config;
    config.comm = joined.own
                      ? joined.own
                      : weir_comm_threads_of(joined.threads, rank->number);
    config.message = rank->message;
    config.message_bytes = sizeof rank->message;
    rank->status = joined.of->create(NULL, &config, &rank->context);
    break;
  case RUN: {
    const weir_function_info *f = &joined.of->functions[joined.function];
    rank->status = joined.of->run(rank->context, joined.function, rank->tensors,
                                  f->num_inputs + f->num_outputs);
    break;
  }
  case SAVE:
    rank->status = joined.of->save(rank->context, joined.path);
    break;
  case RESTORE:
    rank->status = joined.of->restore(rank->context, joined.path);
    break;
  case END:
    joined.of->destroy(rank->context);
    rank->context = NULL;
    break;
  }
}

static void *serve(void *argument) {
  struct rank *rank = argument;
  unsigned seen = 0;
  enum call call;
  do {
    pthread_mutex_lock(&joined.mutex);
    while (joined.round == seen)
      pthread_cond_wait(&joined.begins, &joined.mutex);
    seen = joined.round;
    call = joined.call;
    pthread_mutex_unlock(&joined.mutex);
    answer(rank);
    pthread_mutex_lock(&joined.mutex);
    if (!--joined.left)
      pthread_cond_signal(&joined.ends);
    pthread_mutex_unlock(&joined.mutex);
  } while (call != END);
  return NULL;
}

/// The status and the message of the first rank that has failed.
static weir_status failed_rank(enum call call, int count) {
  for (int i = 0; i < count; ++i) {
    struct rank *rank = &joined.ranks[i];
    if (call == END || !rank->status)
      continue;
    const char *text =
        call == CREATE ? rank->message : joined.of->last_error(rank->context);
    snprintf(joined.message, sizeof joined.message, "%.1000s", text);
    return rank->status;
  }
  return WEIR_OK;
}

// MPI is for the thread that has initialized it.
weir_status call_all(enum call call, int count) {
  if (joined.own) {
    joined.call = call;
    answer(&joined.ranks[0]);
    return failed_rank(call, count);
  }
  pthread_mutex_lock(&joined.mutex);
  joined.call = call;
  joined.left = count;
  ++joined.round;
  pthread_cond_broadcast(&joined.begins);
  while (joined.left)
    pthread_cond_wait(&joined.ends, &joined.mutex);
  pthread_mutex_unlock(&joined.mutex);
  return failed_rank(call, count);
}

static void end_ranks(int started) {
  if (started)
    call_all(END, started);
  for (int i = 0; !joined.own && i < started; ++i)
    pthread_join(joined.ranks[i].thread, NULL);
  for (int i = 0; joined.ranks && i < joined.count; ++i) {
    for (uint32_t t = 0; joined.ranks[i].tensors && joined.ranks[i].tensors[t];
         ++t)
      free(joined.ranks[i].tensors[t]);
    free(joined.ranks[i].tensors);
  }
  free(joined.ranks);
  joined.ranks = NULL;
  weir_comm_threads_free(joined.threads);
  joined.threads = NULL;
}

/// The number of tensors of the function that has the most.
static uint32_t count_tensors(void) {
  uint32_t most = 0;
  for (uint32_t f = 0; f < joined.of->num_functions; ++f) {
    const weir_function_info *of = &joined.of->functions[f];
    uint32_t count = of->num_inputs + of->num_outputs;
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
    for (uint32_t f = 0; f < joined.of->num_functions; ++f)
      if (find_tensor(f, i) && find_tensor(f, i)->bytes > bytes)
        bytes = find_tensor(f, i)->bytes;
    rank->tensors[i] = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!rank->tensors[i])
      return 1;
  }
  return 0;
}

static weir_status create(void *memory, const weir_config *config, void **out) {
  *out = NULL;
  joined.config = config;
  if (!joined.own)
    joined.threads = weir_comm_threads_create(joined.size, joined.timeout_ms);
  joined.ranks = calloc((size_t)joined.count, sizeof *joined.ranks);
  int started = 0, bad = !joined.ranks || (!joined.own && !joined.threads);
  for (; !bad && started < joined.count; ++started) {
    struct rank *rank = &joined.ranks[started];
    rank->number = joined.own ? joined.own->rank : started;
    if (make_tensors(rank) ||
        (!joined.own && pthread_create(&rank->thread, NULL, serve, rank))) {
      bad = 1;
      break;
    }
  }
  weir_status status = bad ? WEIR_ERR_MEMORY : call_all(CREATE, started);
  if (joined.own && status == WEIR_ERR_RANKS) {
    joined.agreed = 1;
    if (joined.own->rank)
      mute(stderr); // rank 0 tells it
  }
  if (!status) {
    *out = &joined;
    return WEIR_OK;
  }
  if (config->message && config->message_bytes)
    snprintf(config->message, config->message_bytes, "%s",
             bad ? "not enough memory for the ranks" : joined.message);
  end_ranks(started);
  return status;
}

/// The bits of a rank differ from those of rank 0.
static weir_status differ(const weir_tensor_info *info, int rank) {
  snprintf(joined.message, sizeof joined.message,
           "output '%.200s': the bits of rank %d differ from those of rank 0",
           info->tensor, rank);
  return WEIR_ERR_PEER;
}

/// As gather_output, where each process has one rank.
static weir_status gather_processes(uint32_t function, uint32_t i,
                                    char *whole) {
  const weir_tensor_info *info = find_tensor(function, i);
  char *part = joined.ranks[0].tensors[i];
  int divided = shards_of(function, i) != NULL;
  uint64_t own = hash_part(part, info->bytes);
  size_t bytes = divided ? info->bytes : sizeof own;
  char *parts = malloc(bytes * (size_t)joined.size + 1);
  weir_status status = parts ? WEIR_OK : WEIR_ERR_MEMORY;
  if (!status &&
      joined.own->gather(joined.own->user, divided ? (const void *)part : &own,
                         parts, bytes)) {
    snprintf(joined.message, sizeof joined.message,
             "output '%.200s': a rank does not answer", info->tensor);
    status = WEIR_ERR_PEER;
  }
  for (int r = 0; !status && r < joined.size; ++r) {
    if (divided)
      copy_one(function, i, r, whole, parts + (size_t)r * bytes,
               /*into_whole=*/1);
    else if (memcmp(parts + (size_t)r * bytes, parts, bytes))
      status = differ(info, r);
  }
  if (!status && !divided)
    memcpy(whole, part, info->bytes);
  free(parts);
  return status;
}

/// The outputs of all ranks as one tensor. What ranks have whole must be equal.
static weir_status gather_output(uint32_t function, uint32_t i, char *whole) {
  const weir_tensor_info *info = find_tensor(function, i);
  const uint32_t *shards = shards_of(function, i);
  if (joined.own)
    return gather_processes(function, i, whole);
  for (int r = 0; r < joined.size; ++r) {
    char *part = joined.ranks[r].tensors[i];
    if (shards || !r)
      copy_one(function, i, r, whole, part, /*into_whole=*/1);
    else if (memcmp(part, joined.ranks[0].tensors[i], info->bytes))
      return differ(info, r);
  }
  return WEIR_OK;
}

static weir_status run_ranks(void *context, uint32_t function,
                             void *const *tensors, uint32_t count) {
  const weir_function_info *f = &joined.of->functions[function];
  joined.message[0] = 0;
  joined.agreed = 0;
  joined.function = function;
  for (int r = 0; r < joined.count; ++r)
    for (uint32_t i = 0; i < f->num_inputs; ++i)
      copy_one(function, i, joined.ranks[r].number, tensors[i],
               joined.ranks[r].tensors[i], /*into_whole=*/0);
  weir_status status = call_all(RUN, joined.count);
  for (uint32_t i = f->num_inputs; !status && i < count; ++i)
    status = gather_output(function, i, tensors[i]);
  if (!status && joined.trains)
    status = agree_to_stop();
  return status;
}

static const char *last_error(const void *context) { return joined.message; }

static void destroy(void *context) {
  if (context)
    end_ranks(joined.count);
}

static void end(int status) {
  if (!joined.own)
    return;
  // Ranks that wait for this one must not wait for ever.
  if (status && !joined.agreed)
    joined.own->abort(joined.own->user, "");
  else
    mpi_close();
}

/// Makes the joined model. Nonzero with a message of the run where memory ends.
static int join_model(struct run *run) {
  const weir_model_info *info = run->info;
  joined.info = *info;
  joined.info.functions = join_functions(joined.mesh, info);
  if (!joined.info.functions)
    return fail("out of memory", LIMIT);
  joined.info.create = create;
  joined.info.run = run_ranks;
  joined.info.last_error = last_error;
  joined.info.destroy = destroy;
  joined.info.save = info->save ? save_ranks : NULL;
  joined.info.restore = info->restore ? restore_ranks : NULL;
  joined.info.state = NULL;
  run->info = &joined.info;
  return 0;
}

/// The model that stands for all ranks of the library. 0, or an exit status.
static int join(struct run *run, const weir_mesh_info *mesh) {
  struct options *o = &run->options;
  if (mesh && mesh->role && (!o->comm || strcmp(o->comm, "mpi")))
    return fail("the library is for one task of a cluster: run.sh beside it "
                "starts all of them, with --comm=mpi",
                USAGE);
  if (!o->comm)
    return fail("the library was compiled with --mesh: give --comm=threads, or "
                "--comm=mpi under mpirun",
                USAGE);
  if (!mesh)
    return fail("the library was compiled without --mesh; it has one rank",
                FAULT);
  joined.of = run->info;
  joined.mesh = mesh;
  joined.timeout_ms = (int)o->timeout_ms;
  if (!strcmp(o->comm, "mpi")) {
    joined.own = mpi_open(joined.timeout_ms, run->error, sizeof run->error);
    if (!joined.own)
      return fail(run->error, FAULT);
    if (mesh->role)
      return role_join(run, mesh, joined.own, &joined.agreed);
    joined.trains = o->train;
    if (joined.trains)
      interrupt_defer();
  }
  joined.size = joined.own ? joined.own->size
                : o->ranks ? (int)o->ranks
                           : (int)mesh->ranks;
  joined.count = joined.own ? 1 : joined.size;
  if (joined.own && joined.own->rank)
    silence(o);
  return join_model(run);
}

const struct ranks weir_run_all_ranks = {join, role_steps, end};
