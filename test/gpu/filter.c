// Kernels of convolutions.test on this processor: 3 x 3 windows of 6 channels
// for 10 outputs, packed one output after the other. Elements have
// WEIR_FILTER_BYTES each, or 4.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void kernel_0_filter_phase_0__cpu(uint32_t gx, uint32_t gy, uint32_t gz,
                                  uint32_t bx, uint32_t by, uint32_t bz,
                                  uint32_t shared, void **args) {
  enum { outputs = 10, window = 3 * 3 * 6 };
  const char *wide = getenv("WEIR_FILTER_BYTES");
  size_t bytes = wide ? (size_t)atoi(wide) : 4;
  const char *from = *(const char **)args[0];
  char *to = *(char **)args[1];
  (void)gx, (void)gy, (void)gz, (void)bx, (void)by, (void)bz, (void)shared;
  for (size_t i = 0; i < window; ++i)
    for (size_t k = 0; k < outputs; ++k)
      memcpy(to + (k * window + i) * bytes, from + (i * outputs + k) * bytes,
             bytes);
}
