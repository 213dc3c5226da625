/* Tests the variables of a model for a GPU in C. The stand-in for the driver
 * keeps the device's memory in the host's, so the test can inspect it. */
#include "line.h"

#include <stdio.h>

static _Alignas(64) char none[LINE_CTX_BYTES];

static void tell(line_ctx *net, weir_status status) {
  printf("%d: %s %s\n", (int)status, line_status_text(status),
         line_last_error(net));
}

static void tell_values(line_ctx *net, weir_status status) {
  float x = 2, y = 0;
  if (!status)
    status = line_predict(net, &x, &y);
  if (status)
    tell(net, status);
  else
    printf("0: w is %g, predict says %g\n", *line_var_w(net), y);
}

int main(void) {
  line_ctx *net;
  float x = 5, y, bad = -1;
  weir_status status = line_create(NULL, NULL, &net);
  if (status)
    return printf("create: %d\n", (int)status), 1;
  tell(net, line_predict(net, &x, &y));
  tell(net, line_save(net, "c"));
  tell(net, line_restore(net, "nowhere"));
  status = line_init(net);
  if (!status)
    status = line_set(net, &x);
  tell_values(net, status);
  tell(net, line_save(net, "c"));
  tell(net, line_set(net, &bad));
  *line_var_w(net) = 7;
  tell_values(net, line_restore(net, "c"));
  puts(line_status_text(line_save(net, NULL)));
  line_destroy(net);
  puts(line_status_text(line_save((line_ctx *)none, "c")));
  return 0;
}
