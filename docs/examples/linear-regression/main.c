/* Fits a line to 100 points that lie on y = 0.1 x + 0.3, and compares it with
   the same steps in double precision. */
#include "line.h"

#include <math.h>
#include <stdio.h>

static int wrong;

static void show(const char *what, double value, double expected,
                 double tolerance) {
  printf("%s = %.10f\n", what, value);
  if (!(fabs(value - expected) <= tolerance)) {
    printf("  expected %.10f\n", expected);
    wrong = 1;
  }
}

int main(void) {
  line_ctx *net;
  weir_status status = line_create(NULL, NULL, &net);
  if (status != WEIR_OK) {
    fprintf(stderr, "%s\n", line_status_text(status));
    return 1;
  }
  float x[100], y[100], loss;
  for (int i = 0; i < 100; ++i) {
    x[i] = (float)i / 99;
    y[i] = 0.1f * x[i] + 0.3f;
  }
  status = line_init(net);
  for (int step = 1; step <= 1000 && status == WEIR_OK; ++step) {
    status = line_train_step(net, x, y, &loss);
    const float *w = line_var_W_(net), *b = line_var_b(net);
    if (step == 1) {
      show("loss before the first step", loss, 0.1233501684, 1e-7);
      show("after    1 step:  W", *w, 0.1835016835, 1e-7);
      show("                  b", *b, 0.35, 1e-7);
    } else if (step == 10) {
      show("after   10 steps: W", *w, 0.1235878, 1e-6);
      show("                  b", *b, 0.2873578, 1e-6);
    } else if (step == 1000) {
      show("after 1000 steps: W", *w, 0.1, 1e-6);
      show("                  b", *b, 0.3, 1e-6);
    }
  }
  if (status == WEIR_OK)
    status = line_save(net, "line.ckpt");
  if (status != WEIR_OK)
    fprintf(stderr, "%s\n", line_last_error(net));
  line_destroy(net);
  return wrong || status != WEIR_OK;
}
