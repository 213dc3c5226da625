// Slices of tensors in a checkpoint: which elements they have, and where.
#ifndef WEIR_RUNTIME_CHECKPOINT_SLICES_H
#define WEIR_RUNTIME_CHECKPOINT_SLICES_H

#include "runtime/checkpoint/checkpoint.h"

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

// Gives whole dimensions their lengths; 0 where the slice is none of a tensor
// of these sizes.
int weir_fit_box(weir_box *box, int32_t rank, const int64_t *sizes);

// How many elements the box has in common with the one that begins at `starts`
// (null: at the first element) and has this shape.
uint64_t weir_common_elements(const weir_box *box, const int64_t *starts,
                              const int64_t *shape);

// Copies `count` elements of the box, from its element `first` on, to the
// tensor at `to`, a box that begins at `starts` and has this shape. Elements
// outside of the tensor are skipped.
void weir_place_elements(const weir_box *box, uint64_t first, uint64_t count,
                         const uint8_t *from, size_t width, char *to,
                         const int64_t *starts, const int64_t *shape);

// Sets the bits of the box's `count` elements in the tensor, whose first one
// has bit `at`; returns how many were not set yet.
uint64_t weir_mark_elements(const weir_box *box, uint64_t count, uint8_t *bits,
                            uint64_t at, const int64_t *starts,
                            const int64_t *shape);

#endif
