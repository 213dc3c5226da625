/* Calls the model of affine.mlir. */
#include "affine.h"

#include <stdio.h>

int main(void) {
  affine_ctx *net;
  float x[4] = {1, 2, 3, 4}, y[4];
  weir_status status = affine_create(NULL, NULL, &net);
  if (status != WEIR_OK) {
    puts(affine_status_text(status));
    return 1;
  }
  status = affine_run(net, x, y);
  printf("%d: %g %g %g %g\n", (int)status, y[0], y[1], y[2], y[3]);
  x[0] = -1;
  status = affine_serving_default(net, x, y);
  printf("%d: %s\n", (int)status, affine_last_error(net));
  affine_destroy(net);
  return 0;
}
