/* Calls a model with 200 results by a list. */
#include "many.h"

#include <stdio.h>

int main(void) {
  many_ctx *net;
  float x[2] = {1, -1}, y[200][2];
  void *tensors[201] = {x};
  for (int i = 0; i < 200; ++i)
    tensors[i + 1] = y[i];
  if (many_create(NULL, NULL, &net) != WEIR_OK)
    return 1;
  weir_status status = many_run(net, tensors);
  printf("%d: %g %g\n", (int)status, y[199][0], y[199][1]);
  many_destroy(net);
  return 0;
}
