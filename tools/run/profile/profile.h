// The profile and the trace of runs by a library of --profile.
#ifndef WEIR_TOOLS_RUN_PROFILE_PROFILE_H
#define WEIR_TOOLS_RUN_PROFILE_PROFILE_H

#include "runtime/weir.h"

#include "runtime/profile/info.h"

#include <stdio.h>

struct run;

struct profile {
  const weir_profile_info *info;  // null: the library has none
  const weir_profile_task *tasks; // the library's
  weir_profile_time *times;
  uint32_t count;
  weir_profile_runs runs;
  weir_profile_event *memory; // of the trace
  uint64_t events;            // room for them in the memory
};

/// Sums over all tasks of one kernel, or of the same nodes.
struct profile_row {
  char *name;
  uint64_t calls, nanoseconds;
  uint64_t bytes, multiply_adds; // of all calls
};

struct profile_rows {
  struct profile_row *all; // the longest time first; only what has run
  uint32_t count;
};

/// Prepares what the options request. 0, or the exit status after a message.
int profile_open(struct run *run, void *context);
/// Forgets all runs so far, and begins the trace.
weir_status profile_begin(struct run *run, void *context);
/// Reads the counts, and writes the trace. 0, or the exit status.
int profile_end(struct run *run, void *context);
/// Prints the tables or writes the file; `measured` is in microseconds, or 0
/// for the time that the library measured. 0, or the exit status.
int profile_report(struct run *run, double measured);
int profile_print(struct run *run, double measured);
void profile_release(struct profile *profile);

/// The rows by kernels, or by nodes. 0, or -1 where memory ends; the caller
/// frees them in both cases.
int profile_sum(const struct profile *profile, int by_nodes,
                struct profile_rows *rows);
void profile_free(struct profile_rows *rows);
/// The nodes of a task with commas between them, or the kernel in brackets.
/// The number of bytes without an end, as snprintf returns it.
int profile_nodes(const weir_profile_task *task, char *to, size_t size);
void profile_json(FILE *to, const struct run *run, double measured);
void profile_trace(FILE *to, const struct run *run, weir_profile_event **lanes,
                   const uint64_t *counts);

#endif
