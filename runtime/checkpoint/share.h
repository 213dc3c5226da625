// Which rank of a mesh writes which part of which variable to a checkpoint.
// Every rank computes this alike, so that only checksums are exchanged.
#ifndef WEIR_RUNTIME_CHECKPOINT_SHARE_H
#define WEIR_RUNTIME_CHECKPOINT_SHARE_H

#include "runtime/checkpoint/index.h"
#include "runtime/checkpoint/keys.h"
#include "runtime/comm/mesh.h"

// A part of a variable, in the file of the rank that writes it.
typedef struct weir_piece {
  int32_t writer;
  uint32_t number; // of the writer's pieces
  uint64_t offset; // in the writer's file
} weir_piece;

typedef struct weir_shares {
  const weir_mesh_model *model;
  void *pages; // for all of these
  size_t page_bytes;
  uint64_t *first;    // the first piece of each variable, and their number
  weir_piece *pieces; // those of a variable by where they begin
  uint64_t *cursors;  // of each variable, while the index is written
  uint64_t *bytes;    // that each rank writes
  uint32_t *counts;   // the number of pieces of each rank
} weir_shares;

// 0 where memory ends.
int weir_share(weir_shares *shares, const weir_mesh_model *model);
void weir_free_shares(weir_shares *shares);

// The number of parts that ranks have of a variable, and which of them this
// rank has.
uint32_t weir_parts_of_variable(const weir_mesh_model *model,
                                uint32_t variable);
uint32_t weir_part_of_rank(const weir_mesh_model *model, uint32_t variable,
                           int32_t rank);

// Where a part lies in the tensor that checkpoints have, with -1 for the length
// of a dimension that is whole; the sizes of that tensor. Both have room for
// the variable's dimensions.
void weir_box_of_part(const weir_mesh_model *model, uint32_t variable,
                      uint32_t part, weir_box *box);
void weir_sizes_of_tensor(const weir_mesh_model *model, uint32_t variable,
                          int64_t *sizes);

// Fails where a variable has more dimensions than a box.
weir_status weir_check_dimensions(const weir_mesh_model *model,
                                  weir_context *context);

// Writes all entries, with the checksums of the pieces: those of each rank take
// `most` words. 0 where a key is too long.
int weir_put_shared_index(weir_writer *to, weir_shares *shares,
                          const uint32_t *sums, uint32_t most,
                          uint32_t num_shards);

#endif
