// The parts of tensors that ranks have.

#include "tools/run/ranks/parts.h"

#include "runtime/comm/steps.h"

#include <stdlib.h>
#include <string.h>

/// The ranks that divide a dimension along these axes, and which of them `rank`
/// is.
static weir_group group_of(const weir_mesh_info *mesh, uint32_t axes,
                           int rank) {
  return weir_group_of(mesh->num_axes, mesh->sizes, axes, rank);
}

static size_t width_of(const weir_tensor_info *info) {
  return info->elements ? info->bytes / (size_t)info->elements : 0;
}

void copy_part(const weir_mesh_info *mesh, const weir_tensor_info *info,
               const uint32_t *shards, int rank, char *whole, char *part,
               int into_whole) {
  int64_t at[64] = {0};
  int rank_of_tensor = info->rank;
  // The innermost dimensions that are whole are one run of bytes.
  int outer = rank_of_tensor;
  size_t run = width_of(info);
  while (outer > 0 && (!shards || !shards[outer - 1]))
    run *= (size_t)info->shape[--outer];
  if (outer > 0)
    run *= (size_t)info->shape[--outer];
  if (!info->bytes)
    return;
  for (size_t from = 0; from < info->bytes; from += run) {
    size_t to = 0, stride = width_of(info);
    for (int d = rank_of_tensor; d-- > 0;) {
      weir_group group = group_of(mesh, shards ? shards[d] : 0, rank);
      to += (size_t)(at[d] + (int64_t)group.index * info->shape[d]) * stride;
      stride *= (size_t)info->shape[d] * group.size;
    }
    if (into_whole)
      memcpy(whole + to, part + from, run);
    else
      memcpy(part + from, whole + to, run);
    for (int d = outer; d-- > 0;) {
      if (++at[d] < info->shape[d])
        break;
      at[d] = 0;
    }
  }
}

static const weir_tensor_info *join_tensors(const weir_mesh_info *mesh,
                                            const uint32_t *const *shards,
                                            uint32_t count,
                                            const weir_tensor_info *from) {
  weir_tensor_info *to = calloc((size_t)count + 1, sizeof *to);
  for (uint32_t i = 0; to && i < count; ++i) {
    const uint32_t *own = shards ? shards[i] : NULL;
    to[i] = from[i];
    int64_t *shape = calloc((size_t)from[i].rank + 1, sizeof *shape);
    if (!shape)
      return NULL;
    to[i].shape = shape;
    for (int d = 0; d < from[i].rank; ++d) {
      uint32_t parts = group_of(mesh, own ? own[d] : 0, /*rank=*/0).size;
      shape[d] = from[i].shape[d] * parts;
      to[i].elements *= parts;
      to[i].bytes *= parts;
    }
  }
  return to;
}

const weir_tensor_info *tensor_of(const weir_function_info *function,
                                  uint32_t i) {
  return i < function->num_inputs
             ? &function->inputs[i]
             : &function->outputs[i - function->num_inputs];
}

weir_function_info *join_functions(const weir_mesh_info *mesh,
                                   const weir_model_info *info) {
  weir_function_info *functions =
      calloc((size_t)info->num_functions + 1, sizeof *functions);
  for (uint32_t f = 0; functions && f < info->num_functions; ++f) {
    const weir_function_info *of = &info->functions[f];
    const uint32_t *const *shards = mesh->ranks > 1 ? mesh->shards[f] : NULL;
    functions[f] = *of;
    functions[f].inputs =
        join_tensors(mesh, shards, of->num_inputs, of->inputs);
    functions[f].outputs =
        join_tensors(mesh, shards ? shards + of->num_inputs : NULL,
                     of->num_outputs, of->outputs);
    if (!functions[f].inputs || !functions[f].outputs)
      return NULL;
  }
  return functions;
}

uint64_t hash_part(const void *part, size_t bytes) {
  const unsigned char *at = part;
  uint64_t value = 14695981039346656037u;
  for (size_t i = 0; i < bytes; ++i)
    value = (value ^ at[i]) * 1099511628211u;
  return value;
}
