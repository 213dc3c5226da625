/* A profiled model that is written by hand: three tasks, of which threads share
 * the second, and a function that the run repeats. */
#include "runtime/profile/profile.h"

#include <stddef.h>
#include <stdlib.h>

enum { WORK_ITEMS = 64, REPEATS = 3 };

static int is_short; /* a run has only the first task, without work */

static void fill(void *data, int64_t first, int64_t last, int64_t slot) {
  void **list = data;
  float *to = list[0];
  for (int64_t i = first; i < last; ++i)
    for (int k = 0; k < 2000; ++k)
      to[i] = to[i] * 0.5f + (float)i;
  weir_profile_chunk_end(list[1], slot, 3);
}

static int32_t entry(void *arena, const void *weights, void *const *tensors,
                     const weir_team *team, void *state) {
  const float *from = tensors[0];
  float *to = tensors[1];
  void *list[] = {to, (void *)team};
  (void)arena, (void)weights, (void)state;
  weir_profile_begin(team);
  if (is_short) {
    weir_profile_task_end(team, 0);
    weir_profile_end(team, 0);
    return 0;
  }
  for (int i = 0; i < WORK_ITEMS; ++i)
    to[i] = from[i];
  weir_profile_task_end(team, 0);
  weir_profile_parallel(team, WORK_ITEMS, 0, 4, fill, list, 1);
  weir_profile_task_end(team, 1);
  for (int i = 0; i < REPEATS; ++i) {
    to[0] += to[1];
    weir_profile_task_end(team, 2);
  }
  weir_profile_end(team, 0);
  return 0;
}

static const int64_t shape[] = {WORK_ITEMS};
static const weir_tensor_info inputs[] = {
    {"x", "x:0", WEIR_F32, 1, shape, 64, 256, -1, NULL, NULL, 0, NULL}};
static const weir_tensor_info outputs[] = {
    {"y", "y:0", WEIR_F32, 1, shape, 64, 256, -1, NULL, NULL, 0, NULL}};
static const weir_function_info function = {"serve", "hand_serve", 1,
                                            1,       inputs,       outputs};
static weir_model_info info = {.abi_version = WEIR_ABI_VERSION,
                               .num_functions = 1,
                               .functions = &function,
                               .prefix = "hand",
                               .num_levels = 1,
                               .threads = 1};
static weir_entry *const entries[] = {entry};
static const weir_level levels[] = {{entries, {0}}};
static const char *const nodes[] = {"conv/Conv2D", "conv/\"Relu\""};
static const weir_profile_task tasks[] = {
    {0, 0, "copy", NULL, 0, 256, 256, 0},
    {0, 0, "kernel_0 + kernel_1", nodes, 2, 256, 256, 128000},
    {0, 1, "kernel_0 + kernel_1", nodes, 2, 0, 0, 0},
    {0, 0, "kernel_1", nodes, 1, 256, 256, 128000}};
static const weir_profile_level profiles[] = {{tasks, 4}};
static weir_profile_model model = {
    {&info, levels, NULL, 0, NULL, 0, NULL, NULL, NULL}, profiles, 0, 4};

/* Sets the sizes, which the compiler computes of a real model. */
static void settle(void) {
  model.at = (weir_context_bytes + 2 * sizeof(uint32_t) + 63) / 64 * 64;
  info.context_bytes =
      model.at +
      (weir_profile_bytes + 4 * sizeof(weir_profile_slot) + 63) / 64 * 64;
}
