/* Three models in one program; the tensors of one are called main, free,
 * malloc. */
#include "affine.h"
#include "hostile.h"
#include "second.h"

#include <stdio.h>

int main(void) {
  affine_ctx *a;
  second_ctx *b;
  hostile_ctx *c;
  float x[4] = {1, 2, 3, 4}, y[4], z[4];
  float p = 3, q = 4, r;
  if (affine_create(NULL, NULL, &a) || second_create(NULL, NULL, &b) ||
      hostile_create(NULL, NULL, &c))
    return 1;
  if (affine_run(a, x, y) || second_run(b, y, z) || hostile_run(c, &p, &q, &r))
    return 2;
  printf("%g %g, %g\n", y[3], z[3], r);
  affine_destroy(a);
  second_destroy(b);
  hostile_destroy(c);
  return 0;
}
