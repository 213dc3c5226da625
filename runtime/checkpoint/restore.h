// What reading an index and taking its entries share.
#ifndef WEIR_RUNTIME_CHECKPOINT_RESTORE_H
#define WEIR_RUNTIME_CHECKPOINT_RESTORE_H

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
  uint8_t *taken; // a bit for each byte of the state: of a variable's first
                  // one on, those for the elements that slices gave
  int load;       // whether bytes go to the variables
  uint8_t key[WEIR_KEY_MOST], name[WEIR_KEY_MOST];
  size_t key_bytes, name_bytes;
  weir_box box; // the slice that an entry is for
  int header;
} weir_restorer;

// Reads bytes at a place of a file; 0 where they are not there.
int weir_read_at(int file, void *to, size_t bytes, uint64_t offset);

// Fails, of the checkpoint as a whole and of a variable.
weir_status weir_damaged(weir_restorer *r, const char *what);
weir_status weir_refuse(weir_restorer *r, uint32_t variable, const char *what);

// The entries of one block, of which those of our keys count.
weir_status weir_read_entries(weir_restorer *r, weir_span entries);

#endif
