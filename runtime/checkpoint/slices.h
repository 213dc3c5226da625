// Slices of tensors in a checkpoint: which elements they have, and where.
#ifndef WEIR_RUNTIME_CHECKPOINT_SLICES_H
#define WEIR_RUNTIME_CHECKPOINT_SLICES_H

#include "runtime/checkpoint/keys.h"

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
