// The state that stands for all ranks of a model.
#ifndef WEIR_TOOLS_RUN_RANKS_JOINED_H
#define WEIR_TOOLS_RUN_RANKS_JOINED_H

#include "runtime/comm/threads.h"
#include "tools/run/ranks/parts.h"

#include <pthread.h>

/// What all ranks of the process execute at the same time.
enum call { CREATE, RUN, SAVE, RESTORE, END };

struct rank {
  int number;
  pthread_t thread;
  void *context;
  void **tensors; // of the function that runs: this rank's parts
  weir_status status;
  char message[1024]; // of a create that fails
};

/// The one joined model of the process.
extern struct joined {
  weir_model_info info; // what callers see
  const weir_model_info *of;
  const weir_mesh_info *mesh;
  int timeout_ms;
  weir_comm_threads *threads;
  const weir_comm *own; // of this process; null: ranks are threads
  struct rank *ranks;   // of this process
  int size, count;      // ranks in all, and of this process
  int trains; // whether processes train, and must stop after the same step
  int agreed; // all processes have failed alike, and none waits for another
  char message[1024];
  // A call that all threads execute.
  pthread_mutex_t mutex;
  pthread_cond_t begins, ends;
  unsigned round;
  int left;
  enum call call;
  const weir_config *config;
  const char *path;
  uint32_t function;
} joined;

/// Has all ranks of the process execute the call. The status of the first that
/// fails, and its message in `joined`.
weir_status call_all(enum call call, int count);

/// The calls of the joined model. All ranks have the same status. Where each
/// process has one rank, the messages of all but rank 0 are empty, unless a
/// rank does not answer.
weir_status save_ranks(void *context, const char *path);
weir_status restore_ranks(void *context, const char *path);

/// Has all processes stop after this step if one of them got a signal.
weir_status agree_to_stop(void);

#endif
