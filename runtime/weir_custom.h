/* weir_custom.h: the interface of functions that compute ops of a model, as
 * `weir compile --custom-op=OP=SYMBOL` names them.
 *
 *     int32_t my_swish(const weir_custom_call *call);
 *
 * The function reads the inputs and writes every element of the outputs (of
 * its part of them, see below). It returns 0, or another number where it fails.
 * The run then returns WEIR_ERR_CHECK with a text that names the node. Its
 * results depend on nothing but its inputs, and it keeps no state: equal calls
 * are merged, and calls whose results nobody uses are left out.
 *
 * It may not allocate memory, block, or start threads. It may be called by any
 * thread that shares the work of a run, and by several at once. */
#ifndef WEIR_CUSTOM_H
#define WEIR_CUSTOM_H

#include "weir.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A tensor: dense, row-major, its first element at `data`. The function owns
 * neither the memory nor the shape; both are valid until it returns. Inputs are
 * read only. Inputs and outputs do not overlap. */
typedef struct weir_custom_tensor {
  void *data;
  const int64_t *shape; /* `rank` sizes */
  int32_t rank;
  int32_t type; /* a weir_dtype */
} weir_custom_tensor;

/* One call. All of it is read only and valid until the function returns.
 *
 * With `parts=N` in the option the function is called N times for each node,
 * with `part` from 0 to N - 1, in any order, and at once where the run has
 * several threads. Each call computes its part of the outputs, such as the rows
 * from rows * part / parts to rows * (part + 1) / parts, and writes nothing
 * that another part writes or reads. N does not depend on the number of
 * threads: nor do the results. */
typedef struct weir_custom_call {
  const weir_custom_tensor *inputs, *outputs;
  int32_t num_inputs, num_outputs;
  int32_t part, parts;
  void *scratch;         /* aligned to 64 bytes; what it holds is undefined */
  int64_t scratch_bytes; /* as `scratch=BYTES` says; 0: there is none */
} weir_custom_call;

#ifdef __cplusplus
}
#endif

#endif
