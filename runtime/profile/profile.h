// What the code of a profiled library and its runtime agree on. The compiler
// emits the calls (passes/entry/TaskTable.cpp) and builds weir_profile_model in
// LLVM IR (compiler/emit/tables/ProfileTable.cpp): change them together.
#ifndef WEIR_RUNTIME_PROFILE_PROFILE_H
#define WEIR_RUNTIME_PROFILE_PROFILE_H

#include "runtime/abi.h"
#include "runtime/profile/info.h"

// The tasks of one instruction-set variant.
typedef struct weir_profile_level {
  const weir_profile_task *tasks;
  uint64_t num_tasks;
} weir_profile_level;

typedef struct weir_profile_model {
  weir_model model;
  const weir_profile_level *levels; // as many, in the order of model.levels
  uint64_t at;                      // where a context has its weir_profile
  uint64_t num_tasks;               // of the variant with the most
} weir_profile_model;

// Counts of a task, in ticks of the processor's clock. On a GPU a tick is a
// nanosecond (runtime/cuda/events.c).
typedef struct weir_profile_slot {
  uint64_t calls;
  uint64_t ticks;
} weir_profile_slot;

// The head of a lane, which is as large as an event; the events follow it. One
// thread at a time writes it: the thread of the lane in a region, and the
// caller after the barrier.
typedef struct weir_profile_lane {
  uint64_t written; // events so far; the lane keeps the last of them
  uint64_t end;     // of the thread's last chunk
  uint64_t begin;   // of the kernel that a chunk runs now
} weir_profile_lane;

// A time on both clocks.
typedef struct weir_profile_moment {
  uint64_t ticks;
  uint64_t nanoseconds;
} weir_profile_moment;

// The profile of a context, in its memory.
typedef struct weir_profile {
  uint64_t last; // ticks at the last boundary of a task
  weir_profile_event *trace;
  uint64_t size; // of a lane, in events, with its head
  uint32_t lanes;
  uint32_t zero;
  uint64_t origin; // ticks when the trace began
  uint64_t begun;  // ticks when the run began
  uint64_t runs, ticks;
  weir_profile_moment start; // when the counts were cleared
  double scale; // nanoseconds of a tick; 0: unknown since the last run
  weir_profile_slot slots[]; // num_tasks
} weir_profile;

extern const size_t weir_profile_bytes; // without `slots`

static inline weir_profile_lane *weir_profile_lane_of(weir_profile *profile,
                                                      uint32_t lane) {
  return (weir_profile_lane *)(profile->trace + lane * profile->size);
}

// Writes an event to a lane of the trace.
static inline void weir_profile_note(weir_profile *profile, uint32_t to,
                                     weir_profile_event event) {
  weir_profile_lane *lane = weir_profile_lane_of(profile, to);
  weir_profile_event *events = (weir_profile_event *)(lane + 1);
  events[lane->written++ % (profile->size - 1)] = event;
}

// Calls of an entry. `begin` is the first, `end` the last. `task` comes after
// each task, whose time is the time since the boundary before.
void weir_profile_begin(const weir_team *team);
void weir_profile_task_end(const weir_team *team, uint32_t task);
void weir_profile_end(const weir_team *team, uint32_t function);
// Comes after each kernel that a chunk of several kernels has run.
void weir_profile_chunk_end(const weir_team *team, int64_t slot, uint32_t task);
// weir_parallel for a task, with events of all threads while there is a trace.
void weir_profile_parallel(const weir_team *team, int64_t count, int64_t slots,
                           int64_t each, weir_part *part, void *data,
                           uint32_t task);

weir_status weir_profile_create(const weir_profile_model *model, void *memory,
                                const weir_config *config, weir_context **out);
// The functions of weir_profile_info.
weir_status weir_profile_tasks(const weir_profile_model *model,
                               weir_context *context,
                               const weir_profile_task **tasks,
                               uint32_t *count);
weir_status weir_profile_read(const weir_profile_model *model,
                              weir_context *context, weir_profile_time *times,
                              uint32_t count, weir_profile_runs *runs);
weir_status weir_profile_reset(const weir_profile_model *model,
                               weir_context *context);
weir_status weir_profile_trace(const weir_profile_model *model,
                               weir_context *context,
                               weir_profile_event *memory, uint64_t count);
weir_status weir_profile_events(const weir_profile_model *model,
                                weir_context *context, uint32_t lane,
                                weir_profile_event *to, uint64_t *count);

#endif
