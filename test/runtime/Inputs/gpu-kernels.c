// This file has the kernels of test/compiler/emit/gpu.mlir for the CPU. The
// stand-in for the driver calls them.
#include <stdint.h>

void affine__cpu(uint32_t gx, uint32_t gy, uint32_t gz, uint32_t bx,
                 uint32_t by, uint32_t bz, uint32_t shared, void **args) {
  (void)gx, (void)gy, (void)gz, (void)by, (void)bz, (void)shared;
  const float *x = *(const float **)args[0], *w = *(const float **)args[1];
  const float *b = *(const float **)args[2];
  float *y = *(float **)args[3];
  unsigned char *ok = *(unsigned char **)args[4];
  int32_t n = *(int32_t *)args[5];
  *ok = x[0] >= 0;
  for (uint32_t i = 0; i < bx && (int32_t)i < n; ++i)
    y[i] = x[i] * w[i] + b[i];
}
