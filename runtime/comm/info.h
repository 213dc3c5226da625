/* What the header of a model has beside runtime/weir.h with --mesh, and of
 * weir partition. */
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
  WEIR_OWN_PART = 2,   /* each rank takes its part of what all have */
  WEIR_SEND = 3,       /* the rank sends a tensor to other ranks of a cluster */
  WEIR_RECV = 4,       /* the rank receives it */
  WEIR_REDUCE_SCATTER = 5 /* each rank gets its part of the sum of all */
} weir_collective_kind;

/* A collective operation. A run of the function executes it once, or as often
 * as the loop around it. */
typedef struct weir_collective_info {
  uint32_t function; /* of NAME_info()->functions */
  weir_collective_kind kind;
  uint32_t axes; /* a bit for each axis: the ranks along them work together */
  uint32_t element_bytes;
  uint64_t bytes;   /* of the tensor, or of one rank's part of it */
  const char *node; /* of the model, which needs the operation */
} weir_collective_info;

typedef enum weir_schedule_kind {
  WEIR_COMPUTE = 0,  /* kernels and copies */
  WEIR_START = 1,    /* begins a collective operation, and does not wait */
  WEIR_PROGRESS = 2, /* continues all that have begun, and does not wait */
  WEIR_WAIT = 3      /* ends a collective operation */
} weir_schedule_kind;

/* What a rank does next in a run of a function. Each operation but
 * WEIR_OWN_PART has one start and, later, one wait. Several may be in the air.
 * They go on at a progress and at a wait only. Tasks of a loop or of a branch
 * count once. */
typedef struct weir_schedule_item {
  uint32_t function; /* of NAME_info()->functions */
  weir_schedule_kind kind;
  uint32_t collective; /* which one starts or is waited for */
  /* Of WEIR_COMPUTE; otherwise 0: */
  uint32_t tasks;         /* kernels and copies up to the next item */
  uint64_t nanoseconds;   /* an estimate, on one thread */
  uint64_t multiply_adds; /* of matrix products and convolutions */
  uint64_t bytes;         /* that the tasks read and write */
} weir_schedule_item;

/* The ranks that run the model together, as a grid: the last axis varies
 * fastest. Each rank has a context whose config.comm has its number. All ranks
 * call NAME_save and NAME_restore together, and get the same status: one
 * checkpoint has the variables of all, for any number of ranks. A task of weir
 * partition calls them alone, for its own variables. */
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
  uint32_t num_items;
  const weir_collective_info *collectives;
  const weir_schedule_item *schedule; /* of all functions, one by one */
  /* For each variable, in the order of NAME_info(): as `shards`. */
  const uint32_t *const *variables;
  uint64_t weights_bytes; /* that one rank reads, of those of the library */
  /* Of a library of weir partition: which task or tasks of the cluster run it,
   * "ps-0", or "worker" for all of that job. Null: all ranks run the library.
   */
  const char *role;
  uint32_t first, count; /* the ranks that run it */
} weir_mesh_info;

#ifdef __cplusplus
}
#endif

#endif
