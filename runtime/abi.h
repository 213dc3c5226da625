// What the emitted tables and the runtime agree on. The compiler builds
// weir_model in LLVM IR (compiler/emit/Tables.cpp): change both together.
#ifndef WEIR_RUNTIME_ABI_H
#define WEIR_RUNTIME_ABI_H

#include "runtime/weir.h"

// Who shares the work of a run.
typedef struct weir_pool weir_pool;
typedef struct weir_team {
  weir_threads threads; // n <= 1: the calling thread alone
  weir_pool *pool;      // of our own, where parallel_for is null
} weir_team;

// The work items from `first` to before `last` of a region. Chunks that run in
// parallel have different worker slots.
typedef void weir_part(void *data, int64_t first, int64_t last, int64_t slot);

// Runs `count` work items in chunks on the team, and returns when all are done.
// At most `slots` chunks run in parallel, unless it is 0. The share of a thread
// is about `each` chunks.
void weir_parallel(const weir_team *team, int64_t count, int64_t slots,
                   int64_t each, weir_part *part, void *data);

// Copies so many bytes to where none of them is; the team shares them.
void weir_copy(const weir_team *team, void *to, const void *from,
               int64_t bytes);

// An entry answers 0, or k when check k (counted from 1) failed. `tensors` are
// the inputs and then the outputs; `state` are the variables.
typedef int32_t weir_entry(void *arena, const void *weights,
                           void *const *tensors, const weir_team *team,
                           void *state);

// What a function is to the variables of its model.
enum weir_role { WEIR_STATELESS = 0, WEIR_USES_STATE = 1, WEIR_INIT = 2 };

// Words of the processor's own description, in the order cpu.c reads them.
enum { WEIR_CPU_WORDS = 8 };

// The code for one kind of processor.
typedef struct weir_level {
  weir_entry *const *entries;
  uint32_t cpu[WEIR_CPU_WORDS]; // bits that must be set
} weir_level;

// The slice of a larger tensor that checkpoints take a variable for; all is
// null for one that is a whole tensor.
typedef struct weir_slice {
  const int64_t *sizes;  // of the tensor, along each dimension
  const int64_t *starts; // where the slice begins
  const uint8_t *key;    // of the slice in an index
  uint64_t key_bytes;
  const uint8_t *whole; // the tensor's entry behind its type; null where that
  uint64_t whole_bytes; // of a variable before is the same
} weir_slice;

typedef struct weir_model {
  const weir_model_info *info;
  const weir_level *levels; // as many, in the order of info->levels
  const char *const *checks;
  uint64_t num_checks;
  const void *const *weights; // where the embedded weights lie; null: a file
  uint64_t weights_hash;      // what the header of the weights file must say
  const uint8_t *roles;       // of each function; null: no variables
  const weir_slice *slices;   // of each variable; null: all are tensors
  // For each check 1 more than the offsets in the arena of the index (int64_t)
  // and of the value (float) that its text ends with, or 0 for none; null: no
  // text has them.
  const uint64_t *elements;
} weir_model;

// The 64 bytes before the weights in a weights file, little endian.
typedef struct weir_weights_header {
  char magic[8]; // "weirwts1"
  uint64_t bytes;
  uint64_t hash;
  uint64_t zero[5];
} weir_weights_header;

enum { WEIR_MESSAGE_BYTES = 256, WEIR_ALIGN = 64 };

typedef struct weir_context {
  uint64_t magic;
  const weir_model *model;
  weir_entry *const *entries; // of the level chosen at create
  void *arena;
  const void *weights;
  weir_team team;
  void *own_context; // what destroy gives back; null: the caller's memory
  void *own_arena;
  void *mapping;
  size_t mapping_bytes;
  void *state;
  void *own_state;
  int initialized; // whether the variables have values
  int busy;        // whether a thread is in a call
  char message[WEIR_MESSAGE_BYTES];
  uint64_t ordered; // the function, counted from 1, of which `order` is
  // Tensors by their addresses: room for any function's. A save keeps the
  // checksums of variables here.
  uint32_t order[];
} weir_context;

extern const size_t weir_context_bytes; // without `order`

weir_status weir_model_create(const weir_model *model, void *memory,
                              const weir_config *config, weir_context **out);
weir_status weir_model_run(const weir_model *model, weir_context *context,
                           uint32_t function, void *const *tensors,
                           uint32_t num_tensors);
void weir_model_destroy(const weir_model *model, weir_context *context);
const char *weir_model_last_error(const weir_model *model,
                                  const weir_context *context);
const char *weir_status_text(weir_status status);

// Where a variable lies, and where all do; null where the context is not alive.
void *weir_model_variable(const weir_model *model, weir_context *context,
                          uint32_t variable);
void *weir_model_state(const weir_model *model, weir_context *context);
// Checkpoints (checkpoint/), linked into models that have variables. `path` is
// a prefix: PATH.index and PATH.data-00000-of-00001.
weir_status weir_model_save(const weir_model *model, weir_context *context,
                            const char *path);
weir_status weir_model_restore(const weir_model *model, weir_context *context,
                               const char *path);
// Whether the context is one of this model's, and not yet destroyed.
int weir_model_alive(const weir_model *model, const weir_context *context);

// An error where an output overlaps another tensor or the arena.
weir_status weir_check_overlap(weir_context *context, uint32_t function,
                               void *const *tensors);

// An error where an input's sizes are not in their ranges.
weir_status weir_check_sizes(weir_context *context, uint32_t function,
                             void *const *tensors);

// `wanted` may be null: then `by_default` threads. What has been started at a
// failure is for weir_team_destroy to end.
weir_status weir_team_create(weir_team *team, const weir_threads *wanted,
                             int by_default);
void weir_team_destroy(weir_team *team);
// Whether this is the child of a fork, which has none of the team's threads.
int weir_team_is_inherited(const weir_team *team);

// Whether this processor has all of these bits.
int weir_cpu_has(const uint32_t required[WEIR_CPU_WORDS]);

// Maps the file and checks that it is this model's; the mapping is kept in the
// context for weir_weights_unmap.
weir_status weir_weights_map(weir_context *context, const char *path);
void weir_weights_unmap(weir_context *context);

// Writes the parts in order, up to a null one, as one text that ends within
// `room` bytes. Where all do not fit, the longest, which are paths and names,
// lose what is in their middle. Control characters become spaces.
void weir_join(char *to, size_t room, const char *const *parts);

// Makes the text of a check, counted from 0, and its numbers in the arena the
// context's text.
weir_status weir_fail_at(weir_context *context, uint64_t check);

// Makes the parts the context's text and answers `status`.
weir_status weir_fail(weir_context *context, weir_status status,
                      const char *const *parts);
#define WEIR_FAIL(context, status, ...)                                        \
  weir_fail(context, status, (const char *const[]){__VA_ARGS__, NULL})

#endif
