/* What the header of a model has beside runtime/weir.h with --profile. */
#ifndef WEIR_PROFILE_INFO_H
#define WEIR_PROFILE_INFO_H

#ifdef __cplusplus
extern "C" {
#endif

/* A task of a run: a kernel, kernels that share one parallel region, or a copy.
 * Bytes are those of all operands that one call reads or writes; of tensors
 * with dynamic dimensions, those of the largest sizes. Multiply-adds are those
 * of matrix products and convolutions by their definition. Both are with the
 * first part of a kernel that has barriers, whose parts are functions of their
 * own: kernel_0_phase_0, kernel_0_phase_1. Kernels that share a region are
 * also in the table one by one, for the chunks of a trace; these count no
 * calls. */
typedef struct weir_profile_task {
  uint32_t function;  /* of NAME_info()->functions */
  uint32_t phase;     /* above 0: a later part of a kernel that has barriers */
  const char *kernel; /* "copy", or symbols with " + " between them */
  const char *const *nodes; /* of the model, which the task computes */
  uint64_t num_nodes;
  uint64_t bytes_read;
  uint64_t bytes_written;
  uint64_t multiply_adds;
} weir_profile_task;

/* What a task has counted since create or the last reset. */
typedef struct weir_profile_time {
  uint64_t calls;
  uint64_t nanoseconds; /* on the thread that calls a function of the model,
                           or of a GPU */
} weir_profile_time;

/* What all runs have counted. A run's time is never below that of its tasks. */
typedef struct weir_profile_runs {
  uint64_t runs;
  uint64_t nanoseconds;
  uint32_t threads; /* the threads of the context, each a lane of a trace */
  uint32_t level;   /* which of NAME_info()->levels runs, from 1; 0: no levels */
  uint32_t on_gpu;  /* 1: a GPU has measured all times, and is the only lane */
  uint32_t zero;
} weir_profile_runs;

enum {
  WEIR_PROFILE_TASK = 0,  /* the calling thread executes a task */
  WEIR_PROFILE_CHUNK = 1, /* a thread computes a part of a task */
  WEIR_PROFILE_WAIT = 2,  /* a thread waits at the barrier after a task */
  WEIR_PROFILE_RUN = 3    /* a call of a function, whose number is `task` */
};

/* An event of a lane. Lane 0 is the calling thread, or the GPU. Times are
 * nanoseconds since the trace began. */
typedef struct weir_profile_event {
  uint64_t begin;
  uint64_t end;
  uint32_t task; /* in the table of tasks */
  uint32_t kind;
} weir_profile_event;

/* What NAME_profile returns. As other calls, these are one thread's at a time
 * for a context. Each returns WEIR_ERR_NULL for a null context,
 * WEIR_ERR_CONTEXT for what is no context, and WEIR_ERR_BUSY where another
 * thread is in a call.
 */
typedef struct weir_profile_info {
  /* Sets `tasks` to the table of the code that the context runs, of `count`
   * tasks. The library owns it. */
  weir_status (*tasks)(void *context, const weir_profile_task **tasks,
                       uint32_t *count);
  /* Writes the counts of all tasks to `times`. `count` must be that of the
   * table, or else WEIR_ERR_SIZE. `runs` may be null. */
  weir_status (*read)(void *context, weir_profile_time *times, uint32_t count,
                      weir_profile_runs *runs);
  /* Sets all counts to 0 and drops the events of the trace. */
  weir_status (*reset)(void *context);
  /* Begins a trace in the caller's memory, which the context uses until the
   * next call or its destroy. Each lane keeps its last events, at most
   * count / threads - 1. Null, or a count of 0, ends the trace. WEIR_ERR_SIZE:
   * `count` is below twice the number of threads. */
  weir_status (*trace)(void *context, weir_profile_event *memory,
                       uint64_t count);
  /* Copies the last events of a lane to `to`, in the order of their ends.
   * `count` is the room there, and then the number of events. WEIR_ERR_SIZE:
   * there is no such lane, or no trace. */
  weir_status (*events)(void *context, uint32_t lane, weir_profile_event *to,
                        uint64_t *count);
} weir_profile_info;

#ifdef __cplusplus
}
#endif

#endif
