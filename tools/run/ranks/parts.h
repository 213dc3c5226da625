// The parts of tensors that ranks have.
#ifndef WEIR_TOOLS_RUN_RANKS_PARTS_H
#define WEIR_TOOLS_RUN_RANKS_PARTS_H

#include "runtime/weir.h"

#include "runtime/comm/info.h"

/// Copies a rank's part of a tensor out of the whole, or into it. `info` is of
/// the part. `shards` has the axes that divide each dimension; null: the tensor
/// is whole on each rank.
void copy_part(const weir_mesh_info *mesh, const weir_tensor_info *info,
               const uint32_t *shards, int rank, char *whole, char *part,
               int into_whole);

/// The i-th tensor of a function: the inputs, and then the outputs.
const weir_tensor_info *tensor_of(const weir_function_info *function,
                                  uint32_t i);

/// The functions with tensors of all ranks of the mesh together. The caller
/// owns the list. Null where memory ends.
weir_function_info *join_functions(const weir_mesh_info *mesh,
                                   const weir_model_info *info);

/// A hash by Fowler, Noll and Vo (FNV-1a).
uint64_t hash_part(const void *part, size_t bytes);

#endif
