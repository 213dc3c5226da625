// Files that a save writes.
#ifndef WEIR_RUNTIME_CHECKPOINT_INDEX_H
#define WEIR_RUNTIME_CHECKPOINT_INDEX_H

#include "runtime/checkpoint/checkpoint.h"

// A file that is being written, with a checksum of what is in it.
typedef struct weir_writer {
  const weir_crc *crc;
  int file, failed;
  int error; // errno of the call that failed
  uint32_t sum;
  uint64_t at;
  size_t used;
  uint8_t buffer[4096];
} weir_writer;

// Begins a file, one that is emptied (O_TRUNC_) or that was not there
// (O_EXCL_); ends it, on the disk and whole or with 0 for an answer.
int weir_begin_file(weir_writer *to, const weir_crc *crc, const char *path,
                    int how);
// Writes to the disk all that was put; 0 where a call has failed.
int weir_sync_file(weir_writer *to);
int weir_end_file(weir_writer *to);

void weir_put(weir_writer *to, const void *bytes, size_t count);
// A number in groups of 7 bits, at most 10 bytes: how many there are.
size_t weir_varint(uint8_t *to, uint64_t value);
void weir_put_varint(weir_writer *to, uint64_t value);

size_t weir_length_of(const char *text);

// The elements of a tensor or of a slice, in the file of a shard.
typedef struct weir_stored {
  weir_dtype dtype;
  int32_t rank;
  const int64_t *shape;
  uint32_t shard;
  uint64_t offset, bytes;
  uint32_t sum; // as a file stores it
} weir_stored;

// An index is one block of all entries, in the order of their keys, one of no
// meta data, and one that leads to the first. `last` is the largest key.
void weir_begin_index(weir_writer *to, uint32_t shards);
void weir_put_entry(weir_writer *to, const weir_stored *entry, const void *key,
                    size_t key_bytes);
void weir_end_index(weir_writer *to, const char *last);
// Begins an entry, whose key shares nothing with the one before.
void weir_put_key(weir_writer *to, const void *key, size_t key_bytes,
                  size_t value_bytes);
// Begins the entry of a tensor that is stored in slices, a list of so many
// bytes: only its type and its shape count.
void weir_put_tensor(weir_writer *to, const weir_stored *entry, const char *key,
                     size_t slices_bytes);

// The index of one process. `sums` are the checksums of the variables, whose
// bytes lie in the first shard one after the other.
void weir_put_index(weir_writer *to, const weir_model *model,
                    const uint32_t *sums, uint32_t shards);

#endif
