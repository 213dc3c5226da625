// Runs a model in a context of its own.

#define _POSIX_C_SOURCE 200809L
#include "tools/run/execute.h"
#include "tools/run/train.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int exit_status(weir_status status) {
  switch (status) {
  case WEIR_OK:
    return 0;
  case WEIR_ERR_IO:
    return IO;
  case WEIR_ERR_MEMORY:
  case WEIR_ERR_THREADS:
    return LIMIT;
  default:
    return FAULT;
  }
}

/// The number of the level that is asked for by name; 0 for any.
static int find_level(struct run *run, uint32_t *level) {
  const weir_model_info *info = run->info;
  *level = 0;
  if (!run->options.level)
    return 0;
  for (uint32_t i = 0; i < info->num_levels; ++i)
    if (!strcmp(info->levels[i], run->options.level))
      *level = i + 1;
  if (*level)
    return 0;
  snprintf(run->error, sizeof run->error, "there is no code for '%.100s'",
           run->options.level);
  return fail(run->error, FAULT);
}

/// The checkpoint to begin with, or null. `latest` is what this command has
/// saved before, if it has.
static const char *find_checkpoint(const struct options *o) {
  if (!o->restore || strcmp(o->restore, "latest"))
    return o->restore;
  char index[4096];
  snprintf(index, sizeof index, "%.4000s.index", o->save);
  return access(index, F_OK) ? NULL : o->save;
}

/// Variables have the values of a checkpoint, or else their first ones.
static weir_status begin_state(struct run *run, void *context) {
  uint32_t init = run->info->init;
  const char *restored = find_checkpoint(&run->options);
  if (restored)
    return run->info->restore(context, restored);
  return init && init != run->index + 1
             ? run->info->run(context, init - 1, NULL, 0)
             : WEIR_OK;
}

static weir_status run_often(struct run *run, void *context) {
  const weir_function_info *f = run->function;
  run->timing.runs = run->options.repeat ? run->options.repeat : 1;
  for (long i = -run->options.warmup; i < run->timing.runs; ++i) {
    weir_status status = i ? WEIR_OK : profile_begin(run, context);
    if (status)
      return status;
    double begin = now_us();
    status = run->info->run(context, run->index, run->tensors,
                            f->num_inputs + f->num_outputs);
    if (status)
      return status;
    if (i >= 0)
      run->timing.us[i] = now_us() - begin;
  }
  return WEIR_OK;
}

/// What could not be saved in the end is not begun: the folder must take files.
static int check_save(struct run *run) {
  const char *path = run->options.save,
             *slash = path ? strrchr(path, '/') : NULL;
  char folder[4096] = ".";
  if (slash)
    snprintf(folder, sizeof folder, "%.*s", (int)(slash - path + 1), path);
  if (!path || !access(folder, W_OK | X_OK))
    return 0;
  snprintf(run->error, sizeof run->error,
           "--save: cannot write to '%.900s': %s", folder, strerror(errno));
  return fail(run->error, IO);
}

/// Says why more threads may help less than one would think.
static void note_threads(const struct run *run) {
  int wanted = run->options.threads;
  if (wanted > (int)run->info->threads && run->info->threads)
    fprintf(stderr,
            "%.200s: note: compiled for %d thread%s: kernels that need memory "
            "of their own may have no more; weir compile --threads=%d\n",
            program_name, (int)run->info->threads,
            run->info->threads == 1 ? "" : "s", wanted);
}

/// Memory of weir-run has the variables if a journal reads them. Those of a
/// model for a GPU would be elsewhere.
static int own_state(struct run *run, weir_config *config) {
  if (!run->info->state_bytes ||
      (!run->options.histograms && !run->options.gradients))
    return 0;
  run->state = (struct array){.dtype = WEIR_U8, .rank = 1};
  run->state.shape[0] = (int64_t)run->info->state_bytes;
  if (array_allocate(&run->state))
    return fail("not enough memory for the variables", LIMIT);
  config->state = run->state.data;
  config->state_bytes = run->state.bytes;
  return 0;
}

int execute(struct run *run, int *later) {
  weir_config config = WEIR_CONFIG_INIT;
  if (run->weights && *run->weights)
    config.weights_path = run->weights;
  weir_threads threads = {NULL, run->options.threads, NULL};
  config.threads = threads.n ? &threads : NULL;
  if (own_state(run, &config))
    return LIMIT;
  if (find_level(run, &config.level))
    return FAULT;
  char message[1024] = "";
  config.message = message;
  config.message_bytes = sizeof message;
  int code = check_save(run);
  if (code)
    return code;
  note_threads(run);
  void *context;
  double begin = now_us();
  weir_status status = run->info->create(NULL, &config, &context);
  run->timing.create_us = now_us() - begin;
  if (status)
    return fail(*message ? message : run->info->status_text(status),
                exit_status(status));
  run->timing.threads = threads.n ? threads.n : (int)run->info->threads;
  code = profile_open(run, context);
  if (!code)
    status = begin_state(run, context);
  if (!status && !code && run->options.train)
    status = profile_begin(run, context);
  if (!status && !code && run->options.train)
    code = train(run, context, later);
  else if (!status && !code)
    status = run_often(run, context);
  int has_failed = status || code;
  if (!has_failed && run->options.save)
    status = run->info->save(context, run->options.save);
  if (status) {
    const char *text = run->info->last_error(context);
    code = exit_status(status);
    if (*text) // or another process tells it
      fail(text, code);
  }
  // A profile that fails loses neither the checkpoint nor the outputs.
  int unprofiled = profile_end(run, context, has_failed);
  *later = *later ? *later : unprofiled;
  run->info->destroy(context);
  return code;
}
