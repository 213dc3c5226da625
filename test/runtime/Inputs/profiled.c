/* Reads the profile of a compiled model by its header. */
#include "counted.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  counted_ctx *net;
  float x[COUNTED_X_ELEMENTS] = {1, 2, 3, 4, 5, 6}, y[COUNTED_Y_ELEMENTS];
  if (counted_create(NULL, NULL, &net) != WEIR_OK)
    return 1;
  for (int i = 0; i < 5; ++i)
    if (counted_run(net, x, y) != WEIR_OK)
      return 1;
  const weir_profile_info *profile = counted_profile();
  const weir_profile_task *tasks;
  uint32_t count;
  if (profile->tasks(net, &tasks, &count) != WEIR_OK)
    return 1;
  weir_profile_time *times = calloc(count, sizeof *times);
  if (!times || profile->read(net, times, count, NULL) != WEIR_OK)
    return 1;
  for (uint32_t i = 0; i < count; ++i)
    printf("%s %s: %" PRIu64 " calls, %" PRIu64 " multiply-adds\n",
           counted_info()->functions[tasks[i].function].name, tasks[i].kernel,
           times[i].calls, tasks[i].multiply_adds);
  if (profile->read(net, times, count + 1, NULL) != WEIR_ERR_SIZE)
    return 1;
  puts(counted_last_error(net));
  free(times);
  counted_destroy(net);
  return 0;
}
