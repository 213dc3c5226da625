// The keys of slices in the index of a checkpoint, for models and for the
// compiler.
#ifndef WEIR_RUNTIME_CHECKPOINT_KEYS_H
#define WEIR_RUNTIME_CHECKPOINT_KEYS_H

#include "runtime/checkpoint/table.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { WEIR_RANK_MOST = 254 };

// Where a slice lies along each dimension.
typedef struct weir_box {
  int32_t rank;
  int64_t starts[WEIR_RANK_MOST];
  int64_t lengths[WEIR_RANK_MOST]; // -1: the whole dimension
} weir_box;

// The name of a tensor, of `name_bytes`, and the slice of it that a key is for;
// 0 where the key is malformed. `name` has room for WEIR_KEY_MOST bytes.
int weir_take_slice_key(weir_span key, uint8_t *name, size_t *name_bytes,
                        weir_box *box);

// Writes the key of a slice of the tensor of a name to the room of
// WEIR_KEY_MOST bytes. A length of -1 is the whole dimension. Returns the
// number of bytes; 0 where they have no room.
size_t weir_put_slice_key(uint8_t *to, const void *name, size_t name_bytes,
                          int32_t rank, const int64_t *starts,
                          const int64_t *lengths);

#ifdef __cplusplus
}
#endif

#endif
