// The ranks of a model: threads of this process, or one rank in each process.

#define _POSIX_C_SOURCE 200809L
#include "tools/run/ranks/ranks.h"
#include "runtime/comm/threads.h"
#include "tools/run/ranks/mpi.h"
#include "tools/run/ranks/parts.h"
#include "tools/run/ranks/role.h"

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
  int timeout_ms;
  weir_comm_threads *threads;
  const weir_comm *own; // of this process; null: ranks are threads
  struct rank *ranks;   // of this process
  int size, count;      // ranks in all, and of this process
  int agreed; // all processes have failed alike, and none waits for another
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

/// Null for a number that the function does not have.
static const weir_tensor_info *tensor_of(uint32_t function, uint32_t i) {
  const weir_function_info *f = &all.of->functions[function];
  if (i >= f->num_inputs + f->num_outputs)
    return NULL;
  return i < f->num_inputs ? &f->inputs[i] : &f->outputs[i - f->num_inputs];
}

static void copy_one(uint32_t function, uint32_t tensor, int rank, char *whole,
                     char *part, int into_whole) {
  copy_part(all.mesh, tensor_of(function, tensor), shards_of(function, tensor),
            rank, whole, part, into_whole);
}

static void answer(struct rank *rank) {
  weir_config config;
  switch (all.call) {
  case CREATE:
    config = *all.config;
    config.comm =
        all.own ? all.own : weir_comm_threads_of(all.threads, rank->number);
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
    answer(rank);
    pthread_mutex_lock(&all.mutex);
    if (!--all.left)
      pthread_cond_signal(&all.ends);
    pthread_mutex_unlock(&all.mutex);
  } while (call != END);
  return NULL;
}

/// The status and the message of the first rank that has failed.
static weir_status failed_rank(enum call call, int count) {
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

/// Has all ranks of the process execute the call. The status of the first that
/// fails. MPI is for the thread that has initialized it.
static weir_status call_all(enum call call, int count) {
  if (all.own) {
    all.call = call;
    answer(&all.ranks[0]);
    return failed_rank(call, count);
  }
  pthread_mutex_lock(&all.mutex);
  all.call = call;
  all.left = count;
  ++all.round;
  pthread_cond_broadcast(&all.begins);
  while (all.left)
    pthread_cond_wait(&all.ends, &all.mutex);
  pthread_mutex_unlock(&all.mutex);
  return failed_rank(call, count);
}

static void end_ranks(int started) {
  if (started)
    call_all(END, started);
  for (int i = 0; !all.own && i < started; ++i)
    pthread_join(all.ranks[i].thread, NULL);
  for (int i = 0; all.ranks && i < all.count; ++i) {
    for (uint32_t t = 0; all.ranks[i].tensors && all.ranks[i].tensors[t]; ++t)
      free(all.ranks[i].tensors[t]);
    free(all.ranks[i].tensors);
  }
  free(all.ranks);
  all.ranks = NULL;
  weir_comm_threads_free(all.threads);
  all.threads = NULL;
}

/// The number of tensors of the function that has the most.
static uint32_t count_tensors(void) {
  uint32_t most = 0;
  for (uint32_t f = 0; f < all.of->num_functions; ++f) {
    const weir_function_info *of = &all.of->functions[f];
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
    for (uint32_t f = 0; f < all.of->num_functions; ++f)
      if (tensor_of(f, i) && tensor_of(f, i)->bytes > bytes)
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
  if (!all.own)
    all.threads = weir_comm_threads_create(all.size, all.timeout_ms);
  all.ranks = calloc((size_t)all.count, sizeof *all.ranks);
  int started = 0, bad = !all.ranks || (!all.own && !all.threads);
  for (; !bad && started < all.count; ++started) {
    struct rank *rank = &all.ranks[started];
    rank->number = all.own ? all.own->rank : started;
    if (make_tensors(rank) ||
        (!all.own && pthread_create(&rank->thread, NULL, serve, rank))) {
      bad = 1;
      break;
    }
  }
  weir_status status = bad ? WEIR_ERR_MEMORY : call_all(CREATE, started);
  if (all.own && status == WEIR_ERR_RANKS) {
    all.agreed = 1;
    if (all.own->rank)
      mute(stderr); // rank 0 tells it
  }
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

/// The bits of a rank differ from those of rank 0.
static weir_status differ(const weir_tensor_info *info, int rank) {
  snprintf(all.message, sizeof all.message,
           "output '%.200s': the bits of rank %d differ from those of rank 0",
           info->tensor, rank);
  return WEIR_ERR_PEER;
}

/// As gather_output, where each process has one rank.
static weir_status gather_processes(uint32_t function, uint32_t i,
                                    char *whole) {
  const weir_tensor_info *info = tensor_of(function, i);
  char *part = all.ranks[0].tensors[i];
  int divided = shards_of(function, i) != NULL;
  uint64_t own = hash_part(part, info->bytes);
  size_t bytes = divided ? info->bytes : sizeof own;
  char *parts = malloc(bytes * (size_t)all.size + 1);
  weir_status status = parts ? WEIR_OK : WEIR_ERR_MEMORY;
  if (!status &&
      all.own->gather(all.own->user, divided ? (const void *)part : &own, parts,
                      bytes)) {
    snprintf(all.message, sizeof all.message,
             "output '%.200s': a rank does not answer", info->tensor);
    status = WEIR_ERR_PEER;
  }
  for (int r = 0; !status && r < all.size; ++r) {
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
  const weir_tensor_info *info = tensor_of(function, i);
  const uint32_t *shards = shards_of(function, i);
  if (all.own)
    return gather_processes(function, i, whole);
  for (int r = 0; r < all.size; ++r) {
    char *part = all.ranks[r].tensors[i];
    if (shards || !r)
      copy_one(function, i, r, whole, part, /*into_whole=*/1);
    else if (memcmp(part, all.ranks[0].tensors[i], info->bytes))
      return differ(info, r);
  }
  return WEIR_OK;
}

static weir_status run_ranks(void *context, uint32_t function,
                             void *const *tensors, uint32_t count) {
  const weir_function_info *f = &all.of->functions[function];
  all.message[0] = 0;
  all.function = function;
  for (int r = 0; r < all.count; ++r)
    for (uint32_t i = 0; i < f->num_inputs; ++i)
      copy_one(function, i, all.ranks[r].number, tensors[i],
               all.ranks[r].tensors[i], /*into_whole=*/0);
  weir_status status = call_all(RUN, all.count);
  for (uint32_t i = f->num_inputs; !status && i < count; ++i)
    status = gather_output(function, i, tensors[i]);
  return status;
}

static const char *last_error(const void *context) { return all.message; }

static void destroy(void *context) {
  if (context)
    end_ranks(all.count);
}

/// Variables are whole on each rank: the first one writes them.
static weir_status save(void *context, const char *path) {
  if (all.own && all.own->rank)
    return WEIR_OK;
  weir_status status = all.of->save(all.ranks[0].context, path);
  snprintf(all.message, sizeof all.message, "%.1000s",
           all.of->last_error(all.ranks[0].context));
  return status;
}

static weir_status restore(void *context, const char *path) {
  all.path = path;
  return call_all(RESTORE, all.count);
}

static void end(int status) {
  if (!all.own)
    return;
  // Ranks that wait for this one must not wait for ever.
  if (status && !all.agreed)
    all.own->abort(all.own->user, "");
  else
    mpi_close();
}

/// Makes the joined model. Nonzero with a message of the run where memory ends.
static int join_model(struct run *run) {
  const weir_model_info *info = run->info;
  all.info = *info;
  weir_function_info *functions =
      calloc((size_t)info->num_functions + 1, sizeof *functions);
  int bad = !functions;
  for (uint32_t f = 0; !bad && f < info->num_functions; ++f) {
    functions[f] = info->functions[f];
    const uint32_t *const *shards = all.mesh->shards[f];
    uint32_t num_inputs = functions[f].num_inputs;
    functions[f].inputs =
        join_tensors(all.mesh, shards, num_inputs, functions[f].inputs);
    functions[f].outputs =
        join_tensors(all.mesh, shards ? shards + num_inputs : NULL,
                     functions[f].num_outputs, functions[f].outputs);
    bad = !functions[f].inputs || !functions[f].outputs;
  }
  if (bad)
    return fail("out of memory", LIMIT);
  all.info.functions = functions;
  all.info.create = create;
  all.info.run = run_ranks;
  all.info.last_error = last_error;
  all.info.destroy = destroy;
  all.info.save = info->save ? save : NULL;
  all.info.restore = info->restore ? restore : NULL;
  all.info.state = NULL;
  run->info = &all.info;
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
  all.of = run->info;
  all.mesh = mesh;
  all.timeout_ms = (int)o->timeout_ms;
  if (!strcmp(o->comm, "mpi")) {
    all.own = mpi_open(all.timeout_ms, run->error, sizeof run->error);
    if (!all.own)
      return fail(run->error, FAULT);
    if (mesh->role)
      return role_join(run, mesh, all.own, &all.agreed);
  }
  all.size = all.own    ? all.own->size
             : o->ranks ? (int)o->ranks
                        : (int)mesh->ranks;
  all.count = all.own ? 1 : all.size;
  if (all.own && all.own->rank)
    silence(o);
  return join_model(run);
}

const struct ranks weir_run_all_ranks = {join, role_steps, end};
