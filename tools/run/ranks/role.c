// The library of one task of a cluster, which weir partition made.

#define _POSIX_C_SOURCE 200809L
#include "tools/run/ranks/role.h"
#include "tools/run/library.h"
#include "tools/run/ranks/parts.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_PATH = 4096 };

// The one task of the process.
static struct task {
  weir_model_info info; // what callers see
  const weir_model_info *of;
  const weir_mesh_info *mesh;
  weir_mesh_info equal; // the mesh of the tasks with this library
  int index;            // of this task among them
  const weir_comm *comm;
  int *agreed;
  void **parts; // of tensors that equal tasks divide
  // Of each function: the most bytes that a task has of divided outputs.
  uint64_t *room;
  char *mine, *gathered;
  int savers, saver; // tasks with variables, and which of them this is
  char message[1024];
} task;

void mute(FILE *stream) { (void)!freopen("/dev/null", "w", stream); }

void silence(struct options *o) {
  o->output_dir = o->metrics = o->tensorboard = o->curve = NULL;
  o->num_expects = 0;
  mute(stdout);
}

// Another task saves the variables.
static void silence_task(struct options *o) {
  silence(o);
  o->save = NULL;
  o->save_every = 0;
}

static const uint32_t *shards_of(uint32_t function, uint32_t tensor) {
  const uint32_t *const *shards = task.mesh->shards[function];
  return shards && task.equal.ranks > 1 ? shards[tensor] : NULL;
}

static uint64_t divided_bytes(uint32_t function) {
  const weir_function_info *f = &task.of->functions[function];
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < f->num_outputs; ++i)
    if (shards_of(function, f->num_inputs + i))
      bytes += f->outputs[i].bytes;
  return bytes;
}

/// Gathers a number of each task. The sum, or the maximum, of all; `before` is
/// the sum of those of lower ranks. Nonzero where a task does not answer.
static int gather_number(uint64_t own, int adds, uint64_t *out,
                         uint64_t *before) {
  uint64_t *all = calloc((size_t)task.comm->size, sizeof *all);
  int bad = !all || task.comm->gather(task.comm->user, &own, all, sizeof own);
  *out = *before = 0;
  for (int r = 0; !bad && r < task.comm->size; ++r) {
    *before += r < task.comm->rank ? all[r] : 0;
    *out = adds ? *out + all[r] : all[r] > *out ? all[r] : *out;
  }
  free(all);
  return bad;
}

static weir_status no_answer(const char *what) {
  snprintf(task.message, sizeof task.message, "%s: a task does not answer",
           what);
  return WEIR_ERR_PEER;
}

/// Allocates what a run needs. All tasks have the same functions here.
static weir_status prepare(void) {
  uint64_t most = 0, before, savers, saver;
  uint32_t count = 0;
  task.room = calloc((size_t)task.of->num_functions + 1, sizeof *task.room);
  if (!task.room)
    return WEIR_ERR_MEMORY;
  for (uint32_t f = 0; f < task.of->num_functions; ++f) {
    const weir_function_info *of = &task.of->functions[f];
    uint32_t tensors = of->num_inputs + of->num_outputs;
    count = tensors > count ? tensors : count;
    if (gather_number(divided_bytes(f), /*adds=*/0, &task.room[f], &before))
      return no_answer("create");
    most = task.room[f] > most ? task.room[f] : most;
  }
  uint64_t saves = task.of->save && !task.index;
  if (gather_number(saves, /*adds=*/1, &savers, &saver))
    return no_answer("create");
  task.savers = (int)savers;
  task.saver = (int)saver;
  task.parts = calloc((size_t)count + 1, sizeof *task.parts);
  task.mine = calloc(most + 1, 1);
  task.gathered = calloc((size_t)task.comm->size * most + 1, 1);
  if (!task.parts || !task.mine || !task.gathered)
    return WEIR_ERR_MEMORY;
  for (uint32_t i = 0; i < count; ++i) {
    size_t bytes = 64;
    for (uint32_t f = 0; f < task.of->num_functions; ++f) {
      const weir_function_info *of = &task.of->functions[f];
      if (i < of->num_inputs + of->num_outputs && shards_of(f, i) &&
          tensor_of(of, i)->bytes > bytes)
        bytes = tensor_of(of, i)->bytes;
    }
    task.parts[i] = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!task.parts[i])
      return WEIR_ERR_MEMORY;
  }
  return WEIR_OK;
}

static void release(void) {
  for (uint32_t i = 0; task.parts && task.parts[i]; ++i)
    free(task.parts[i]);
  free(task.parts);
  free(task.room);
  free(task.mine);
  free(task.gathered);
  task.parts = NULL;
  task.room = NULL;
  task.mine = task.gathered = NULL;
}

static void destroy(void *context) {
  if (!context)
    return;
  task.of->destroy(context);
  release();
}

static weir_status create(void *memory, const weir_config *config, void **out) {
  weir_config own = *config;
  own.comm = task.comm;
  weir_status status = task.of->create(memory, &own, out);
  if (status == WEIR_ERR_RANKS) {
    *task.agreed = 1;
    if (task.comm->rank)
      mute(stderr); // rank 0 tells it
  }
  if (status)
    return status;
  status = prepare();
  if (!status)
    return WEIR_OK;
  if (config->message && config->message_bytes)
    snprintf(config->message, config->message_bytes, "%s",
             *task.message ? task.message : "not enough memory");
  destroy(*out);
  *out = NULL;
  return status;
}

/// Joins the divided outputs of equal tasks. All tasks take part.
static weir_status gather_outputs(uint32_t function, void *const *tensors) {
  const weir_function_info *f = &task.of->functions[function];
  size_t room = (size_t)task.room[function], at = 0;
  uint32_t end = f->num_inputs + f->num_outputs;
  if (!room)
    return WEIR_OK;
  for (uint32_t i = f->num_inputs; i < end; ++i)
    if (shards_of(function, i)) {
      memcpy(task.mine + at, task.parts[i], tensor_of(f, i)->bytes);
      at += tensor_of(f, i)->bytes;
    }
  if (task.comm->gather(task.comm->user, task.mine, task.gathered, room))
    return no_answer("outputs");
  for (uint32_t r = 0; r < task.equal.ranks; ++r) {
    char *part = task.gathered + (task.mesh->first + r) * room;
    for (uint32_t i = f->num_inputs; i < end; ++i)
      if (shards_of(function, i)) {
        copy_part(&task.equal, tensor_of(f, i), shards_of(function, i), (int)r,
                  tensors[i], part, /*into_whole=*/1);
        part += tensor_of(f, i)->bytes;
      }
  }
  return WEIR_OK;
}

static weir_status run_task(void *context, uint32_t function,
                            void *const *tensors, uint32_t count) {
  const weir_function_info *f = &task.of->functions[function];
  void **own = malloc(((size_t)count + 1) * sizeof *own);
  if (!own)
    return WEIR_ERR_MEMORY;
  task.message[0] = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t *shards = shards_of(function, i);
    own[i] = shards ? task.parts[i] : tensors[i];
    if (shards && i < f->num_inputs)
      copy_part(&task.equal, &f->inputs[i], shards, task.index, tensors[i],
                own[i], /*into_whole=*/0);
  }
  weir_status status = task.of->run(context, function, own, count);
  free(own);
  return status ? status : gather_outputs(function, tensors);
}

static const char *last_error(const void *context) {
  return *task.message ? task.message : task.of->last_error(context);
}

/// The checkpoint of this task: where several have variables, a part of one.
static void part_path(const char *path, char *part) {
  if (task.savers > 1)
    snprintf(part, MAX_PATH, "%.4000s.part-%05d-of-%05d", path, task.saver,
             task.savers);
  else
    snprintf(part, MAX_PATH, "%.4000s", path);
}

static weir_status save(void *context, const char *path) {
  char part[MAX_PATH];
  if (!task.of->save || task.index)
    return WEIR_OK;
  part_path(path, part);
  return task.of->save(context, part);
}

/// From one checkpoint of all variables, or from the parts that save writes.
static weir_status restore(void *context, const char *path) {
  char name[MAX_PATH];
  if (!task.of->restore)
    return WEIR_OK;
  snprintf(name, sizeof name, "%.4000s.index", path);
  if (!access(name, F_OK))
    return task.of->restore(context, path);
  part_path(path, name);
  return task.of->restore(context, name);
}

/// Keeps those of NAME=VALUE that name a tensor of the function.
static int keep_known(const char **all, int count,
                      const weir_tensor_info *tensors, uint32_t number) {
  int kept = 0;
  for (int i = 0; i < count; ++i)
    for (uint32_t k = 0; k < number; ++k)
      if (given(&all[i], 1, &tensors[k])) {
        all[kept++] = all[i];
        break;
      }
  return kept;
}

/// Options for other tasks have no effect.
static void keep_own(struct run *run) {
  struct options *o = &run->options;
  const char *name = o->train && !o->function ? "train_step" : o->function;
  int index = library_function(task.of, name);
  if (index < 0)
    return;
  const weir_function_info *f = &task.of->functions[index];
  o->num_inputs =
      keep_known(o->inputs, o->num_inputs, f->inputs, f->num_inputs);
  o->num_expects =
      keep_known(o->expects, o->num_expects, f->outputs, f->num_outputs);
  run->follows = o->train && !f->num_inputs;
  if (run->follows) {
    const char *path = o->save;
    long every = o->save_every;
    for (int i = 0; i < o->num_data; ++i)
      free(o->data[i]);
    o->num_data = 0;
    silence_task(o);
    o->save = path; // it has variables, perhaps
    o->save_every = every;
  }
}

int role_join(struct run *run, const weir_mesh_info *mesh,
              const weir_comm *comm, int *agreed) {
  const weir_model_info *info = run->info;
  task.of = info;
  task.mesh = mesh;
  task.comm = comm;
  task.agreed = agreed;
  task.equal = *mesh;
  task.equal.num_axes = 1;
  task.equal.sizes = &mesh->count;
  task.equal.ranks = mesh->count;
  task.index = comm->rank - (int)mesh->first;
  task.info = *info;
  task.info.functions = join_functions(&task.equal, info);
  if (!task.info.functions)
    return fail("out of memory", LIMIT);
  task.info.create = create;
  task.info.run = run_task;
  task.info.last_error = last_error;
  task.info.destroy = destroy;
  task.info.save = save;
  task.info.restore = restore;
  task.info.state = NULL;
  run->info = &task.info;
  keep_own(run);
  if (task.index > 0)
    silence_task(&run->options);
  return 0;
}

int role_steps(struct run *run, int64_t *steps) {
  uint64_t all, before, own = run->follows ? 0 : (uint64_t)*steps;
  uint64_t epochs = (uint64_t)run->options.epochs, most;
  if (!task.of)
    return 0;
  if (gather_number(own, /*adds=*/0, &all, &before) ||
      gather_number(epochs, /*adds=*/0, &most, &before))
    return fail("a task of the cluster does not answer", FAULT);
  // Each task finds its own fault, and those that find none see it end.
  if ((own && own != all) || epochs != most) {
    snprintf(run->error, sizeof run->error,
             "this task has %lld steps in %lld epochs, and another one %lld in "
             "%lld; all need the same --data and --epochs",
             (long long)own, (long long)epochs, (long long)all,
             (long long)most);
    return fail(run->error, FAULT);
  }
  *steps = (int64_t)all;
  return 0;
}
