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
  int has_begun;              // the counts are of the runs that the user wants
  int has_failed;             // the last run has
};

/// Sums over all tasks of one kernel, or of the same nodes.
struct profile_row {
  char *name;
  uint64_t calls, nanoseconds;
  // Of all calls. The products may be above 64 bits.
  double bytes, multiply_adds;
};

struct profile_rows {
  struct profile_row *all; // the longest time first; only what has run
  uint32_t count;
};

/// Prepares what the options request. 0, or the exit status after a message.
int profile_open(struct run *run, void *context);
/// Forgets all runs so far, and begins the trace.
weir_status profile_begin(struct run *run, void *context);
/// Reads the counts, and writes the trace. 0, or the exit status. After a run
/// that failed these are the counts up to the failure.
int profile_end(struct run *run, void *context, int has_failed);
/// Prints the tables or writes the file; `measured` is in microseconds, or 0
/// for the time that the library measured. 0, or the exit status.
int profile_report(struct run *run, double measured);
int profile_print(struct run *run, double measured);
void profile_release(struct profile *profile);

/// The rows by kernels, or by nodes. If several functions have run, names begin
/// with the function. 0, or -1 where memory ends; the caller frees them in both
/// cases.
int profile_sum(const struct run *run, int by_nodes, struct profile_rows *rows);
/// The functions that have run: their number, and which of them is the first.
uint32_t profile_functions(const struct run *run, uint32_t *first);
/// The name of the instruction-set variant that runs; null if there is one.
const char *profile_variant(const struct run *run);
void profile_free(struct profile_rows *rows);
/// The nodes of a task with commas between them, or the kernel in brackets.
/// The number of bytes without an end, as snprintf returns it.
int profile_nodes(const weir_profile_task *task, char *to, size_t size);
void profile_json(FILE *to, const struct run *run, double measured);
/// 0, or -1 where memory ends.
int profile_trace(FILE *to, const struct run *run, weir_profile_event **lanes,
                  const uint64_t *counts);

#endif
