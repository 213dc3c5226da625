// What reading an index and taking its entries share.
#ifndef WEIR_RUNTIME_CHECKPOINT_RESTORE_H
#define WEIR_RUNTIME_CHECKPOINT_RESTORE_H

#include "runtime/checkpoint/checkpoint.h"
#include "runtime/checkpoint/slices.h"

enum { WEIR_PIECE = 1 << 16 }; // of a shard that is read at once

// What has been found of a variable.
typedef struct weir_progress {
  uint64_t elements;    // those that have their values
  uint64_t slice_bytes; // of the slices that they came from
  int found;            // whether the index has the tensor
} weir_progress;

typedef struct weir_restorer {
  weir_context *context;
  const weir_model_info *info;
  const weir_slice *slices; // of the model; may be null
  const char *path;
  weir_crc crc;
  int index, shard; // files; -1
  int absent;       // whether there is no index
  uint32_t open_shard, shards;
  uint8_t *pages; // the index, and then room for a block and for a piece
  size_t page_bytes, index_bytes;
  weir_progress *done; // of each variable
  size_t done_bytes;   // with `taken`
  uint8_t *taken; // a bit for each byte of the state: of a variable's first
                  // one on, those for the elements that slices gave
  int load;       // whether bytes go to the variables
  uint8_t key[WEIR_KEY_MOST], name[WEIR_KEY_MOST];
  size_t key_bytes, name_bytes;
  weir_box box; // the slice that an entry is for
  int header;
} weir_restorer;

// Begins to read a checkpoint for the context's variables, which are these
// slices of tensors (null: all are whole).
weir_status weir_open_restore(weir_restorer *r, weir_context *context,
                              const weir_slice *slices, const char *path);
// Checks all that the variables need, or takes it.
weir_status weir_read_checkpoint(weir_restorer *r, int load);
void weir_close_restore(weir_restorer *r);

// Reads bytes at a place of a file; 0 where they are not there.
int weir_read_at(int file, void *to, size_t bytes, uint64_t offset);

// Fails, of the checkpoint as a whole and of a variable.
weir_status weir_damaged(weir_restorer *r, const char *what);
weir_status weir_refuse(weir_restorer *r, uint32_t variable, const char *what);

// The sizes of the tensor that a variable is, or is a slice of, and where the
// slice begins: null at the first element.
static inline const int64_t *weir_sizes_of(const weir_restorer *r,
                                           uint32_t variable) {
  const weir_slice *slice = r->slices ? &r->slices[variable] : NULL;
  return slice && slice->sizes ? slice->sizes
                               : r->info->variables[variable].shape;
}

static inline const int64_t *weir_starts_of(const weir_restorer *r,
                                            uint32_t variable) {
  return r->slices ? r->slices[variable].starts : NULL;
}

// How many elements the sizes make.
static inline uint64_t weir_count_of(int32_t rank, const int64_t *sizes) {
  uint64_t count = 1;
  for (int32_t i = 0; i < rank; ++i)
    count *= (uint64_t)sizes[i];
  return count;
}

// Checks that all slices are there of those that a tensor's entry lists and
// that have elements of the variable.
weir_status weir_check_list(weir_restorer *r, uint32_t variable,
                            weir_span entry);

// Fails, as a variable's slices lack elements: names the first of these.
weir_status weir_refuse_gap(weir_restorer *r, uint32_t variable);

// The entries of one block, of which those of our keys count.
weir_status weir_read_entries(weir_restorer *r, weir_span entries);

#endif
