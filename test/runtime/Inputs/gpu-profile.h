/* A profiled model for a GPU that is written by hand: `chain` is a graph of
 * three tasks with a check between them, and `loop` repeats a task as often as
 * its input tells. Kernels compute nothing: their times are the stand-in's. */
#include "runtime/cuda/events.h"

#include <stdlib.h>
#include <string.h>

enum { TASKS = 4, EVENTS = 8, ROOM = 4096 };

static int32_t launch(weir_gpu_stream *stream, uint32_t kernel) {
  return weir_gpu_launch(stream, kernel, 1, 1, 1, 32, 1, 1, 0, NULL, 0);
}

static int32_t chain(void *arena, const void *weights, void *const *tensors,
                     const weir_team *team, void *state) {
  weir_gpu_stream *stream = (weir_gpu_stream *)(uintptr_t)team;
  int32_t failed;
  (void)weights, (void)state;
  if ((failed = weir_gpu_profile_task_begin(stream)) ||
      (failed = weir_gpu_copy(stream, arena, tensors[0], 16)) ||
      (failed = weir_gpu_profile_task_end(stream, 0)) ||
      (failed = weir_gpu_profile_task_begin(stream)) ||
      (failed = launch(stream, 0)) ||
      (failed = weir_gpu_profile_task_end(stream, 1)) ||
      (failed = weir_gpu_check(stream, arena, 1)) ||
      (failed = weir_gpu_profile_task_begin(stream)) ||
      (failed = launch(stream, 1)) ||
      (failed = weir_gpu_profile_task_end(stream, 2)))
    return failed;
  return 0;
}

/* Every third time, the host waits for a value. */
static int32_t loop(void *arena, const void *weights, void *const *tensors,
                    const weir_team *team, void *state) {
  weir_gpu_stream *stream = (weir_gpu_stream *)(uintptr_t)team;
  int32_t count = 0, failed = weir_gpu_read(stream, &count, tensors[0], 4);
  char byte;
  (void)weights, (void)state;
  for (int32_t i = 0; i < count && !failed; ++i)
    if ((failed = weir_gpu_profile_task_begin(stream)) ||
        (failed = launch(stream, 1)) ||
        (failed = weir_gpu_profile_task_end(stream, 3)) ||
        (i % 3 == 2 && (failed = weir_gpu_read(stream, &byte, arena, 1))))
      return failed;
  return failed;
}

static const int64_t shape[] = {4};
static const weir_tensor_info tensors[] = {
    {"x", "x:0", WEIR_I32, 1, shape, 4, 16, -1, NULL, NULL, 0, NULL},
    {"y", "y:0", WEIR_I32, 1, shape, 4, 16, -1, NULL, NULL, 0, NULL}};
static const weir_function_info functions[] = {
    {"chain", "hand_chain", 1, 1, &tensors[0], &tensors[1]},
    {"loop", "hand_loop", 1, 1, &tensors[0], &tensors[1]}};
static weir_model_info info = {.abi_version = WEIR_ABI_VERSION,
                               .num_functions = 2,
                               .functions = functions,
                               .prefix = "hand",
                               .arena_bytes = 64,
                               .num_levels = 1,
                               .threads = 1};
static weir_entry *const entries[] = {chain, loop};
static const weir_level levels[] = {{entries, {0}}};
static const weir_profile_task table[] = {{0, 0, "copy", NULL, 0, 16, 16, 0},
                                          {0, 0, "short", NULL, 0, 0, 0, 0},
                                          {0, 0, "long", NULL, 0, 0, 0, 0},
                                          {1, 0, "long", NULL, 0, 0, 0, 0}};
static const weir_profile_level profiles[] = {{table, TASKS}};
static const char *const checks[] = {"node 'assert': x is zero"};

static const weir_gpu_image images[] = {
    {WEIR_GPU_PTX, 80, 0, 0, ".version 7.0 .entry short() .entry long()", 42}};
static const weir_gpu_kernel kernels[] = {{"short", 0}, {"long", 0}};
static const uint32_t flags[] = {WEIR_GPU_CAPTURABLE, 0};
static const weir_gpu_info gpu = {1,     2,    images, kernels,
                                  flags, NULL, NULL,   NULL};
static weir_gpu_model model = {
    .model = {&info, levels, checks, 1, NULL, 0, NULL, NULL, NULL},
    .levels = profiles,
    .num_tasks = TASKS,
    .gpu = &gpu,
    .num_events = EVENTS};

static size_t align(size_t bytes) { return (bytes + 63) / 64 * 64; }

/* Sets the sizes, which the compiler computes of a real model. */
static void settle(void) {
  model.context_at = align(weir_gpu_bytes + 8 * (2 + 2 + 2 * 2));
  model.at = align(weir_context_bytes + 2 * sizeof(uint32_t));
  info.context_bytes =
      model.context_at + model.at +
      align(weir_profile_bytes + 16 * TASKS + weir_gpu_profile_bytes +
            8 * EVENTS + 4 * 2 * (EVENTS + 1));
}
