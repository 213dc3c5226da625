// Runs a model in a context of its own.

#define _POSIX_C_SOURCE 200809L
#include "tools/run/execute.h"
#include "tools/run/train.h"

#include <stdio.h>
#include <string.h>

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

/// Variables have the values of a checkpoint, or else their first ones.
static weir_status begin_state(struct run *run, void *context) {
  uint32_t init = run->info->init;
  if (run->options.restore)
    return run->info->restore(context, run->options.restore);
  return init && init != run->index + 1
             ? run->info->run(context, init - 1, NULL, 0)
             : WEIR_OK;
}

int execute(struct run *run) {
  const weir_function_info *f = run->function;
  uint32_t count = f->num_inputs + f->num_outputs;
  weir_config config = WEIR_CONFIG_INIT;
  if (run->weights && *run->weights)
    config.weights_path = run->weights;
  weir_threads threads = {NULL, run->options.threads, NULL};
  config.threads = threads.n ? &threads : NULL;
  if (find_level(run, &config.level))
    return FAULT;
  char message[1024] = "";
  config.message = message;
  config.message_bytes = sizeof message;
  void *context;
  double begin = now_us();
  weir_status status = run->info->create(NULL, &config, &context);
  run->timing.create_us = now_us() - begin;
  if (status)
    return fail(*message ? message : run->info->status_text(status), FAULT);
  status = begin_state(run, context);
  run->timing.threads = threads.n ? threads.n : (int)run->info->threads;
  long repeat = run->options.repeat ? run->options.repeat : 1;
  int trained = 0;
  if (run->options.train && !status)
    trained = train(run, context, &status);
  for (long i = -run->options.warmup;
       i < repeat && !status && !run->options.train; ++i) {
    begin = now_us();
    status = run->info->run(context, run->index, run->tensors, count);
    if (i >= 0)
      run->timing.us[i] = now_us() - begin;
  }
  run->timing.runs = repeat;
  if (!status && !trained && run->options.save)
    status = run->info->save(context, run->options.save);
  if (status)
    fail(run->info->last_error(context), FAULT);
  run->info->destroy(context);
  return status ? FAULT : trained;
}
