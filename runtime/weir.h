/* weir.h: what every compiled model shares; each model's header repeats it. */
#ifndef WEIR_H
#define WEIR_H

#include <stddef.h>
#include <stdint.h>

#define WEIR_ABI_VERSION 5u

#ifdef __cplusplus
extern "C" {
#endif

/* What a call answers. The text that NAME_last_error gives says which tensor
 * or node is meant. */
typedef enum weir_status {
  WEIR_OK = 0,
  WEIR_ERR_NULL = 1,      /* a pointer that must not be null is */
  WEIR_ERR_ALIGNMENT = 2, /* a pointer is not aligned for its type */
  WEIR_ERR_OVERLAP = 3,   /* an output overlaps another tensor or the arena */
  WEIR_ERR_SIZE = 4,      /* memory given is too small, or a wrong count */
  WEIR_ERR_MEMORY = 5,    /* the system has no memory left */
  WEIR_ERR_CONTEXT = 6,   /* not a context, or one already destroyed */
  WEIR_ERR_VERSION = 7,   /* the configuration is of another version */
  WEIR_ERR_TARGET = 8,    /* this processor lacks what the code needs */
  WEIR_ERR_WEIGHTS = 9,   /* the weights are missing or not this model's */
  WEIR_ERR_IO = 10,       /* a file could not be read or written */
  WEIR_ERR_CHECK = 11,    /* the values given make a node of the model fail */
  WEIR_ERR_THREADS = 12,  /* threads could not be started */
  WEIR_ERR_DRIVER = 13,   /* the driver of the GPU is missing or too old */
  WEIR_ERR_DEVICE = 14,   /* there is no GPU that the code runs on */
  WEIR_ERR_GPU = 15,      /* the GPU or its driver failed */
  WEIR_ERR_UNINITIALIZED = 16, /* NAME_init or NAME_restore comes first */
  WEIR_ERR_CHECKPOINT = 17,    /* damaged, or not one of this model's */
  WEIR_ERR_BUSY = 18,          /* another thread is in a call on the context */
  WEIR_ERR_RANKS = 19, /* the ranks are not those that the model needs */
  WEIR_ERR_PEER = 20   /* another rank does not answer, or has failed */
} weir_status;

typedef enum weir_dtype {
  WEIR_F16 = 1,
  WEIR_BF16 = 2,
  WEIR_F32 = 3,
  WEIR_F64 = 4,
  WEIR_BOOL = 5, /* one byte an element: 0 is false, all else true */
  WEIR_I8 = 6,
  WEIR_I16 = 7,
  WEIR_I32 = 8,
  WEIR_I64 = 9,
  WEIR_U8 = 10,
  WEIR_U16 = 11,
  WEIR_U32 = 12,
  WEIR_U64 = 13
} weir_dtype;

typedef uint16_t weir_f16;  /* the bits of an IEEE half */
typedef uint16_t weir_bf16; /* the upper half of the bits of a float */
typedef uint8_t weir_bool;

/* How many threads share the work of a run, the calling one among them: 0 or 1
 * for it alone. The results are the same bits for any number. parallel_for is
 * the caller's: it calls fn(data, i) for each i below `tasks`, which is at most
 * n, and returns when all are done. Where it is null, create starts n - 1
 * threads, which serve this context until destroy. */
typedef struct weir_threads {
  void *user;
  int n; /* above 256: 256 */
  void (*parallel_for)(void *user, int tasks, void (*fn)(void *data, int task),
                       void *data);
} weir_threads;

/* A message from or to another rank. The memory stays where it is. */
typedef struct weir_transfer {
  void *data;
  uint64_t bytes;
  int32_t peer;  /* a rank */
  int32_t tag;   /* messages between two ranks with one tag keep their order */
  uint32_t send; /* 1: this rank sends; 0: it receives */
  uint32_t zero;
} weir_transfer;

/* How the ranks of a model that is compiled with --mesh exchange messages: the
 * caller's functions, which belong to one rank and to one context. All return 0
 * where they succeed. After another answer of start, test or wait the transport
 * writes to the memory of no transfer any more. No function allocates but
 * gather and prepare. The calls of a context come from one thread at a time. */
typedef struct weir_comm {
  uint32_t abi_version; /* WEIR_ABI_VERSION */
  int32_t rank, size;
  int32_t timeout_ms; /* the longest wait for a message; 0: for ever */
  void *user;
  /* Sets `all` to the `bytes` bytes of each rank, in their order. */
  int (*gather)(void *user, const void *mine, void *all, size_t bytes);
  /* Announces all transfers that there will ever be. create calls it once. */
  int (*prepare)(void *user, const weir_transfer *list, uint32_t count);
  /* Starts transfers of the list, each once at a time. Never blocks. */
  int (*start)(void *user, uint32_t first, uint32_t count);
  /* Sets `done` to whether all of them are complete. Never blocks. */
  int (*test)(void *user, uint32_t first, uint32_t count, int *done);
  /* Waits until all are complete. Returns 1 after timeout_ms, and -1 where the
   * transport has failed. */
  int (*wait)(void *user, uint32_t first, uint32_t count, int32_t timeout_ms);
  /* Ends all ranks; `why` is a text for people. May be null. */
  void (*abort)(void *user, const char *why);
} weir_comm;

/* What NAME_create is given. Start from WEIR_CONFIG_INIT; all but the version
 * may stay zero. */
typedef struct weir_config {
  uint32_t abi_version;        /* WEIR_ABI_VERSION */
  uint32_t level;              /* which of NAME_info()->levels to run, from 1;
                                  0: the first that this processor has */
  void *arena;                 /* NAME_ARENA_BYTES bytes; null: of the heap */
  size_t arena_bytes;          /* how many are there */
  const void *weights;         /* NAME_WEIGHTS_BYTES bytes, or null */
  const char *weights_path;    /* a .weights file to map, or null */
  const weir_threads *threads; /* null: what the model was compiled for */
  uint32_t device;        /* which GPU, from 1; 0: the number, from 0, in the
                             environment's WEIR_GPU, or else the first; only of
                             a model for a GPU */
  uint32_t message_bytes; /* room at `message`, for the text's end too */
  char *message;          /* where create tells why it failed, or null */
  void *state;            /* NAME_STATE_BYTES bytes; null: of the heap */
  size_t state_bytes;     /* how many are there */
  const weir_comm *comm; /* of a model with --mesh: how ranks exchange messages;
                            it lives until destroy */
} weir_config;

#define WEIR_CONFIG_INIT                                                       \
  {WEIR_ABI_VERSION, 0, NULL, 0, NULL, NULL, NULL, 0, 0, NULL, NULL, 0, NULL}

typedef struct weir_tensor_info {
  const char *name;   /* the key in the signature */
  const char *tensor; /* the tensor of the model, as in "x:0" */
  weir_dtype dtype;
  int32_t rank;
  const int64_t *shape;
  int64_t elements;
  size_t bytes;
  /* Of a tensor whose sizes only the run knows: which input (of an input) or
   * output holds them, as rank numbers; shape, elements and bytes are then the
   * most that there can be, and the elements lie without gaps. Otherwise -1. */
  int64_t shape_tensor;
  /* Of such a tensor: the least size of each dimension, and its name, or "".
   * Dimensions of inputs with one name are of one size. Otherwise null. */
  const int64_t *least;
  const char *const *dims;
  /* Of an i64 output that the model has as strings: the string for each value
   * from 0 on. Of an output that the model has as maps: the key of each column.
   * Otherwise 0 and null. */
  int64_t num_strings;
  const char *const *strings;
} weir_tensor_info;

typedef struct weir_function_info {
  const char *name;   /* the signature */
  const char *symbol; /* the C function */
  uint32_t num_inputs;
  uint32_t num_outputs;
  const weir_tensor_info *inputs;
  const weir_tensor_info *outputs;
} weir_function_info;

/* A variable of the model: what its functions assign and later ones read. */
typedef struct weir_variable_info {
  const char *name; /* the model's */
  const char *key;  /* what checkpoints call it */
  weir_dtype dtype;
  int32_t rank;
  const int64_t *shape;
  int64_t elements;
  size_t bytes;
  size_t offset; /* in the block of state */
} weir_variable_info;

/* All there is to know of a model, and the same calls without types. Each call
 * but status_text is one thread's at a time for a context. last_error's text
 * lives until the next call on the context, and is empty after one that went
 * well. destroy(NULL) does nothing. save answers WEIR_ERR_UNINITIALIZED where
 * there is nothing to save yet, WEIR_ERR_IO where a file cannot be written or
 * the checkpoint that is there cannot be read, and WEIR_ERR_SIZE for a path too
 * long; restore WEIR_ERR_CHECKPOINT for what is damaged or another model's, and
 * WEIR_ERR_IO and WEIR_ERR_MEMORY for what is not there or cannot be read now;
 * both WEIR_ERR_NULL and WEIR_ERR_CONTEXT. */
typedef struct weir_model_info {
  uint32_t abi_version;
  uint32_t num_functions;
  const weir_function_info *functions;
  const char *prefix;
  const char *source;
  const char *target;       /* triple, processor and features */
  const char *compiler;     /* name and version */
  const char *weights_file; /* its usual name; null: embedded, or none */
  size_t arena_bytes;
  size_t max_live_bytes; /* what no memory plan could stay below */
  size_t weights_bytes;
  size_t context_bytes;
  size_t align; /* of the arena and of the weights */
  weir_status (*create)(void *memory, const weir_config *config, void **out);
  weir_status (*run)(void *context, uint32_t function, void *const *tensors,
                     uint32_t num_tensors); /* inputs, then outputs */
  const char *(*last_error)(const void *context);
  void (*destroy)(void *context);
  const char *(*status_text)(weir_status status);
  uint32_t threads;          /* what a context uses unless it is told */
  uint32_t num_levels;       /* kinds of processors that there is code for */
  const char *const *levels; /* their names, the best first */
  size_t state_bytes;        /* 0: no variables, and null below */
  uint32_t num_variables;
  uint32_t init; /* which function assigns first values, from 1; or 0 */
  const weir_variable_info *variables; /* by their keys, in ascending order */
  void *(*state)(void *context);       /* where the block lies */
  weir_status (*save)(void *context, const char *path);
  weir_status (*restore)(void *context, const char *path);
} weir_model_info;

#ifdef __cplusplus
}
#endif

#endif
