// Files that a save writes.
#ifndef WEIR_RUNTIME_CHECKPOINT_INDEX_H
#define WEIR_RUNTIME_CHECKPOINT_INDEX_H

#include "runtime/checkpoint/checkpoint.h"

// A file that is being written, with a checksum of what is in it.
typedef struct weir_writer {
  const weir_crc *crc;
  int file, failed;
  uint32_t sum;
  uint64_t at;
  size_t used;
  uint8_t buffer[4096];
} weir_writer;

// Begins a file, one that is emptied (O_TRUNC_) or that was not there
// (O_EXCL_); ends it, on the disk and whole or with 0 for an answer.
int weir_begin_file(weir_writer *to, const weir_crc *crc, const char *path,
                    int how);
int weir_end_file(weir_writer *to);

void weir_put(weir_writer *to, const void *bytes, size_t count);

// One block of all entries, one of no meta data, and one that leads to the
// first. `sums` are the checksums of the variables, whose bytes lie in the
// first shard one after the other.
void weir_put_index(weir_writer *to, const weir_model *model,
                    const uint32_t *sums, uint32_t shards);

#endif
