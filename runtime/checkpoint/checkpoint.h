// What saving and restoring checkpoints share: TensorFlow's V2 bundles, which
// are an index, a table of sorted keys in LevelDB's format, and data shards.
#ifndef WEIR_RUNTIME_CHECKPOINT_CHECKPOINT_H
#define WEIR_RUNTIME_CHECKPOINT_CHECKPOINT_H

#include "runtime/abi.h"
#include "runtime/call.h"
#include "runtime/checkpoint/table.h"

enum { WEIR_PATH_BYTES = 4096, WEIR_SHARDS_MOST = 99999 };

// What saving and restoring begin with: an error where an argument is null, the
// context is none of the model's or is busy; else it is busy and has no
// message, until weir_end_call.
weir_status weir_checkpoint_begin(const weir_model *model,
                                  weir_context *context, const char *path);

// TensorFlow's number of an element type.
uint32_t weir_checkpoint_dtype(weir_dtype dtype);

// `path` and an ending; 0 where that is too long.
int weir_path(char to[WEIR_PATH_BYTES], const char *path, const char *ending);
// The ending ".data-00000-of-00001" of a shard.
void weir_shard_ending(char to[32], uint32_t shard, uint32_t count);

// The path of a shard; 0 where it is too long.
int weir_data_path(char to[WEIR_PATH_BYTES], const char *path, uint32_t shard,
                   uint32_t shards);

// A rename is on the disk when the folder is; 0 where it may not be.
int weir_sync_folder(const char *path);

// The steps of a save, with a message where they fail. The variables have
// values, and the paths of the index and of one in the making are set; the old
// checkpoint is known: its number of shards, 0 where there is none, and whether
// it is damaged; the new one's index is on the disk under its name.
weir_status weir_check_save(weir_context *context, const char *path,
                            char index[WEIR_PATH_BYTES],
                            char part[WEIR_PATH_BYTES]);
weir_status weir_begin_save(weir_context *context, const weir_crc *crc,
                            const char *path, uint32_t *before,
                            int *is_damaged);
weir_status weir_end_save(weir_context *context, const char *path);

// The bytes of a variable, in the form that files have.
const char *weir_saved_bytes(weir_context *context, uint32_t variable);

// The number of parts of a checkpoint to which the path belongs.
// PATH-?????-of-00002 has two parts: each is a checkpoint, as saved by the
// processes that share a model. Other paths have one part.
//
// The path of a part; 0 if it is too long.
uint32_t weir_parts_of(const char *path);
int weir_part_path(char to[WEIR_PATH_BYTES], const char *path, uint32_t part);

// How many shards the checkpoint at `path` has now, 0 where there is none.
// WEIR_ERR_CHECKPOINT: nobody can say, it is damaged; another error: nobody can
// say now, its index could not be read.
weir_status weir_shards_at(const weir_crc *crc, const char *path,
                           uint32_t *shards);

#endif
