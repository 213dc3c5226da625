// What all ranks of a training do together beside its steps.

#include "tools/run/interrupt.h"
#include "tools/run/ranks/joined.h"

#include <stdio.h>
#include <stdlib.h>

/// Notes that all processes have failed alike: rank 0 tells it.
static weir_status agree_on(weir_status status) {
  joined.agreed = status && status != WEIR_ERR_PEER;
  if (joined.agreed && joined.own && joined.own->rank)
    joined.message[0] = 0;
  return status;
}

weir_status save_ranks(void *context, const char *path) {
  (void)context;
  joined.path = path;
  return agree_on(call_all(SAVE, joined.count));
}

weir_status restore_ranks(void *context, const char *path) {
  (void)context;
  joined.path = path;
  return agree_on(call_all(RESTORE, joined.count));
}

weir_status agree_to_stop(void) {
  int mine = interrupt_pending();
  int *all = malloc((size_t)joined.size * sizeof *all);
  weir_status status = all ? WEIR_OK : WEIR_ERR_MEMORY;
  if (all && joined.own->gather(joined.own->user, &mine, all, sizeof mine)) {
    snprintf(joined.message, sizeof joined.message,
             "a rank does not answer after a step");
    status = WEIR_ERR_PEER;
  }
  for (int r = 0; !status && r < joined.size; ++r)
    if (all[r])
      interrupt_accept(all[r]);
  free(all);
  return status;
}
