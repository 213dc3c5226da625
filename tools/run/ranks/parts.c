// The parts of tensors that ranks have.

#include "tools/run/ranks/parts.h"

#include <stdlib.h>
#include <string.h>

/// The number of parts along a dimension, and which of them a rank has.
static uint32_t part_of(const weir_mesh_info *mesh, uint32_t axes, int rank,
                        uint32_t *index) {
  uint32_t rest = (uint32_t)rank, parts = 1;
  *index = 0;
  for (uint32_t i = mesh->num_axes; i-- > 0;) {
    uint32_t size = mesh->sizes[i];
    if (axes >> i & 1) {
      *index += rest % size * parts;
      parts *= size;
    }
    rest /= size;
  }
  return parts;
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
      uint32_t index = 0,
               parts = shards ? part_of(mesh, shards[d], rank, &index) : 1;
      to += (size_t)(at[d] + (int64_t)index * info->shape[d]) * stride;
      stride *= (size_t)info->shape[d] * parts;
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

const weir_tensor_info *join_tensors(const weir_mesh_info *mesh,
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
      uint32_t index, parts = own ? part_of(mesh, own[d], 0, &index) : 1;
      shape[d] = from[i].shape[d] * parts;
      to[i].elements *= parts;
      to[i].bytes *= parts;
    }
  }
  return to;
}

uint64_t hash_part(const void *part, size_t bytes) {
  const unsigned char *at = part;
  uint64_t value = 14695981039346656037u;
  for (size_t i = 0; i < bytes; ++i)
    value = (value ^ at[i]) * 1099511628211u;
  return value;
}
