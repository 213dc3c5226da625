/* Rows of a profile whose sums are above 64 bits, and names of their kernels. */
#include "tools/run/execute.h"

#include <assert.h>
#include <math.h>
#include <string.h>

int main(void) {
  const weir_profile_task tasks[] = {
      {0, 0, "kernel_0_phase_0 + kernel_1", NULL, 0, INT64_MAX, INT64_MAX,
       INT64_MAX},
      {0, 1, "kernel_0_phase_12 + kernel_1", NULL, 0, 0, 0, 0},
      {0, 0, "my_phase_0_kernel", NULL, 0, 1, 2, 3},
      {1, 0, "kernel_9", NULL, 0, 1, 2, 3}};
  weir_profile_time times[] = {{8, 20}, {8, 30}, {2, 40}, {0, 0}};
  const weir_function_info functions[] = {{.name = "f"}, {.name = "g"}};
  const weir_model_info info = {.num_functions = 2, .functions = functions};
  struct run run = {.info = &info};
  run.profile.tasks = tasks;
  run.profile.times = times;
  run.profile.count = 4;
  struct profile_rows rows;
  assert(!profile_sum(&run, 0, &rows) && rows.count == 2);
  assert(!strcmp(rows.all[0].name, "kernel_0 + kernel_1"));
  assert(rows.all[0].calls == 8 && rows.all[0].nanoseconds == 50);
  assert(fabs(rows.all[0].bytes / (16 * 0x1p63) - 1) < 1e-9);
  assert(fabs(rows.all[0].multiply_adds / (8 * 0x1p63) - 1) < 1e-9);
  assert(!strcmp(rows.all[1].name, "my_phase_0_kernel"));
  assert(rows.all[1].bytes == 6 && rows.all[1].multiply_adds == 6);
  profile_free(&rows);
  times[3].calls = 1;
  assert(!profile_sum(&run, 0, &rows) && rows.count == 3);
  assert(!strncmp(rows.all[0].name, "f: ", 3) &&
         !strcmp(rows.all[2].name, "g: kernel_9"));
  profile_free(&rows);
  return 0;
}
