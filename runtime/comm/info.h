/* What the header of a model has beside runtime/weir.h with --mesh. */
#ifndef WEIR_MESH_INFO_H
#define WEIR_MESH_INFO_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The ranks that run the model together, as a grid: the last axis varies
 * fastest. Each rank has a context whose config.comm has its number. */
typedef struct weir_mesh_info {
  uint32_t ranks;
  uint32_t num_axes;
  const char *const *axes;
  const uint32_t *sizes; /* the number of ranks along each axis */
  /* For each function and each of its tensors, the inputs and then the outputs:
   * for each dimension a bit for each axis that divides it. Null: the tensor is
   * whole on each rank. Shapes in NAME_info() are those of one rank. */
  const uint32_t *const *const *shards;
} weir_mesh_info;

#ifdef __cplusplus
}
#endif

#endif
