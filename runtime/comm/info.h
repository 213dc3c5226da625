/* What the header of a model has beside runtime/weir.h with --mesh. */
#ifndef WEIR_MESH_INFO_H
#define WEIR_MESH_INFO_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What ranks compute together. */
typedef enum weir_collective_kind {
  WEIR_ALL_REDUCE = 0, /* each rank gets the sum, maximum or minimum of all */
  WEIR_ALL_GATHER = 1, /* each rank gets the parts of all */
  WEIR_OWN_PART = 2    /* each rank takes its part of what all have */
} weir_collective_kind;

/* A collective operation. A run of the function executes it once, or as often
 * as the loop around it. */
typedef struct weir_collective_info {
  uint32_t function; /* of NAME_info()->functions */
  weir_collective_kind kind;
  uint32_t axes; /* a bit for each axis: the ranks along them work together */
  uint32_t zero;
  uint64_t bytes;   /* of the tensor, or of one rank's part of it */
  const char *node; /* of the model, which needs the operation */
} weir_collective_info;

/* The ranks that run the model together, as a grid: the last axis varies
 * fastest. Each rank has a context whose config.comm has its number. All ranks
 * call NAME_save and NAME_restore together, and get the same status: one
 * checkpoint has the variables of all, for any number of ranks. */
typedef struct weir_mesh_info {
  uint32_t ranks;
  uint32_t num_axes;
  const char *const *axes;
  const uint32_t *sizes; /* the number of ranks along each axis */
  /* For each function and each of its tensors, the inputs and then the outputs:
   * for each dimension a bit for each axis that divides it. Null: the tensor is
   * whole on each rank. Shapes in NAME_info() are those of one rank. */
  const uint32_t *const *const *shards;
  uint32_t num_collectives;
  uint32_t zero;
  const weir_collective_info *collectives;
  /* For each variable, in the order of NAME_info(): as `shards`. */
  const uint32_t *const *variables;
} weir_mesh_info;

#ifdef __cplusplus
}
#endif

#endif
