// A stand-in for the CUDA driver's libcuda.so.1, for machines without a GPU.
//
// It records each call in order, holds device memory in the host's, captures
// graphs and replays them, and refuses what a driver refuses: memory that is
// not allocated, no current context, calls that a capture does not allow,
// launches beyond a device's limits. It runs no PTX: a kernel does nothing
// unless a library with its code for this processor is given.
//
// The device has a clock of its own, which only work advances: the kernel that
// was looked up first takes 4 us, the next one 8 us, and so on; other work
// takes 1 us. Events have its time once their stream, or an event after them,
// was waited for.
//
// The environment has its parameters:
//   WEIR_CUDA_LOG      file for the calls, one a line
//   WEIR_CUDA_SM       compute capability, 10 * major + minor (90)
//   WEIR_CUDA_DEVICES  number of GPUs (1)
//   WEIR_CUDA_FAIL     N: the N-th call, from 1, fails; or NAME:N:CODE: the
//                      N-th call of that function fails with that error
//   WEIR_CUDA_KERNELS  a library that has, for a kernel K,
//                      void K__cpu(gx, gy, gz, bx, by, bz, shared, void **args)
//                      or weir_gpu_launch of runtime/sim/sim.h, for the kernels
//                      in the order in which they are looked up

#ifndef WEIR_TEST_EMULATE_CUDA_H
#define WEIR_TEST_EMULATE_CUDA_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

enum {
  OK = 0,
  INVALID_VALUE = 1,
  OUT_OF_MEMORY = 2,
  NO_DEVICE = 100,
  INVALID_DEVICE = 101,
  INVALID_IMAGE = 200,
  INVALID_CONTEXT = 201,
  INVALID_HANDLE = 400,
  NOT_FOUND = 500,
  NOT_READY = 600,
  ILLEGAL_ADDRESS = 700,
  CAPTURE_UNSUPPORTED = 900,
  CAPTURE_INVALIDATED = 901,
  CAPTURED_EVENT = 907,
  UNKNOWN = 999
};

typedef uint64_t address;
typedef struct block {
  struct block *next;
  address at;
  size_t bytes;
  int pinned;
} block;

enum { max_params = 64 };
typedef struct function {
  char name[256];
  uint32_t number; // in its module, by the order of the lookups
  int num_params;  // -1: not known
  size_t param_bytes[max_params];
  long max_shared;
} function;

typedef struct module {
  const char *image;
  int is_text;
  uint32_t functions;
} module;

typedef struct stream stream;
typedef struct event {
  struct event *next;
  uint32_t flags;
  // Captured events belong to a graph and have no time of their own.
  enum { EMPTY, CAPTURED, RECORDED, DONE } state;
  const stream *on; // of the last record
  uint64_t time;    // in nanoseconds
} event;

typedef struct node {
  struct node *next;
  enum { COPY, SET8, SET32, LAUNCH, CALLBACK, HOST, RECORD } kind;
  void (*callback)(void *); // on arg_bytes; for the host's: on `to`
  char *to;
  const char *from;
  size_t count;
  uint32_t value;
  function *of;
  uint32_t grid[3], threads[3], shared;
  void *args[max_params + 1];
  char *arg_bytes;
  event *record;
} node;

typedef struct graph {
  node *head, **tail;
  int nodes;
} graph;

struct stream {
  graph *capture;
};

// Only the driver's functions, and those of calls.c for other stand-ins, are
// visible from outside.
#pragma GCC visibility push(hidden)

extern pthread_mutex_t lock;    // for all data that threads share
extern __thread int current;    // contexts that this thread pushed
extern __thread long capturing; // number of streams, by this thread

// Returns a number from the environment.
long number_of(const char *name, long by_default);
// Writes a line to the log.
void note(const char *format, ...);
// Counts the call. Returns the error of a call that must fail, or OK.
int planned(const char *name);
// Changes the number of live objects.
void count_objects(long objects);

// Allocates `bytes` that are not 0 at first; on the host if `pinned`.
int allocate(address *at, size_t bytes, int pinned);
int release(address at);
// Returns whether all of it is memory of this type.
int is_within(address at, size_t bytes, int pinned);
// Returns the number of allocations that are not released.
long blocks_left(void);

// Does the work, or records it if the stream is captured.
int issue(stream *to, const node *work);
void perform(const node *work, const stream *on);
// Gives the event the time of the device.
void stamp(event *to, const stream *on);
// Advances the device's clock.
void spend(uint64_t nanoseconds);

#pragma GCC visibility pop

#define CALL                                                                   \
  do {                                                                         \
    int error_ = planned(__func__);                                            \
    if (error_)                                                                \
      return error_;                                                           \
  } while (0)
#define CALL_IN_CONTEXT                                                        \
  do {                                                                         \
    CALL;                                                                      \
    if (!current) {                                                            \
      note("%s without a current context", __func__);                          \
      return INVALID_CONTEXT;                                                  \
    }                                                                          \
  } while (0)
#define CALL_OUTSIDE_CAPTURE                                                   \
  do {                                                                         \
    CALL_IN_CONTEXT;                                                           \
    if (capturing) {                                                           \
      note("%s during a capture", __func__);                                   \
      return CAPTURE_UNSUPPORTED;                                              \
    }                                                                          \
  } while (0)

#endif // WEIR_TEST_EMULATE_CUDA_H
