/* Functions that compute ops of custom-ops.test. */
#include "weir_custom.h"

#include <string.h>

int32_t twice(const weir_custom_call *call) {
  const weir_custom_tensor *x = &call->inputs[0];
  float *y = call->outputs[0].data;
  if (call->num_inputs != 1 || call->num_outputs != 1 || call->parts != 1 ||
      call->scratch || call->scratch_bytes || x->rank != 2 ||
      x->type != WEIR_F32)
    return 1;
  for (int64_t i = 0; i < x->shape[0] * x->shape[1]; ++i)
    y[i] = 2 * ((const float *)x->data)[i];
  return 0;
}

/* The maximum of each row times k[0], and the numbers 0, 1, 2 and so on. */
int32_t top_rows(const weir_custom_call *call) {
  const weir_custom_tensor *x = &call->inputs[0], *k = &call->inputs[1];
  const weir_custom_tensor *y = &call->outputs[0], *z = &call->outputs[1];
  int64_t rows = x->shape[0], columns = x->shape[1];
  const int64_t *factor = k->data;
  float *copy = call->scratch;
  if (k->rank != 1 || k->type != WEIR_I64 || y->rank != 2 || y->shape[1] != 1 ||
      z->type != WEIR_U8 || z->shape[0] != 7 || z->shape[1] != 3 ||
      call->parts != 3 || call->scratch_bytes != columns * 4 ||
      (uintptr_t)copy % 64 || factor[0] < 0)
    return 7;
  for (int64_t row = rows * call->part / 3; row < rows * (call->part + 1) / 3;
       ++row) {
    memcpy(copy, (const float *)x->data + row * columns, columns * 4);
    for (int64_t i = 1; i < columns; ++i)
      if (copy[i] > copy[0])
        copy[0] = copy[i];
    ((float *)y->data)[row] = copy[0] * (float)factor[0];
  }
  for (int i = 7 * call->part; i < 7 * (call->part + 1); ++i)
    ((uint8_t *)z->data)[i] = (uint8_t)i;
  return 0;
}
