// Times of the tasks on a GPU, by events of the driver. In a graph they are
// nodes between those of the tasks, and all else is as without a profile. The
// counts and the lane of the trace are those of runtime/profile, in nanoseconds
// of the GPU's clock in place of ticks.

#include "runtime/cuda/events.h"
#include "runtime/libc.h"

// A weir_gpu_model begins as a weir_profile_model.
_Static_assert(offsetof(weir_gpu_model, levels) ==
                       offsetof(weir_profile_model, levels) &&
                   offsetof(weir_gpu_model, at) ==
                       offsetof(weir_profile_model, at) &&
                   offsetof(weir_gpu_model, num_tasks) ==
                       offsetof(weir_profile_model, num_tasks),
               "the table of a GPU's model has another profile");

// Event 0 of a run begins it, and the last one ends it. Between two others
// there is a task, or work that is none.
enum { NO_TASK = -1, CU_EVENT_RECORD_EXTERNAL_ = 1, ANCHORS = 2 };

typedef struct weir_gpu_profile {
  weir_cu_result (*cuEventElapsedTime)(float *milliseconds, weir_cu_event begin,
                                       weir_cu_event end);
  weir_cu_result (*cuEventRecordWithFlags)(weir_cu_event event,
                                           weir_cu_stream stream,
                                           uint32_t flags);
  // The times of a trace begin at an anchor. As a float has few digits, each
  // run has its own one, by its time since the one before.
  weir_cu_event anchors[ANCHORS];
  uint32_t anchor; // whose time is known
  uint64_t anchor_time;
  // Of the last run.
  uint32_t function;
  uint32_t end;     // the next event to record
  int32_t skipped;  // whether the next task needs an event before it
  int32_t complete; // whether all its events were recorded, and not yet read
  int32_t traced;   // whether it is in the trace
  int32_t moved;    // whether the other anchor is its own, and not yet read
  int32_t begun;    // whether `begin_time` is known
  uint64_t begin_time, end_time;
  // num_events for all functions, as one runs at a time.
  weir_cu_event *events;
  // Of each function: the last event of its graph, and what ends at each event.
  uint32_t *ends;
  int32_t *tasks;
} weir_gpu_profile;

// The compiler reads this off the bitcode.
const size_t weir_gpu_profile_bytes = sizeof(weir_gpu_profile);

static weir_profile *counts_of(const weir_gpu *gpu) {
  return (weir_profile *)((char *)gpu->context + gpu->model->at);
}

static weir_gpu_profile *profile_of(const weir_gpu *gpu) {
  return (weir_gpu_profile *)(counts_of(gpu)->slots + gpu->model->num_tasks);
}

static int32_t *tasks_of(const weir_gpu *gpu, const weir_gpu_profile *profile) {
  return profile->tasks + profile->function * gpu->model->num_events;
}

weir_status weir_gpu_profile_begin(weir_gpu *gpu, void *library) {
  const weir_gpu_model *model = gpu->model;
  uint32_t functions = model->model.info->num_functions;
  weir_gpu_profile *profile = profile_of(gpu);
  memset(counts_of(gpu), 0, (size_t)((char *)profile - (char *)counts_of(gpu)));
  memset(profile, 0, sizeof *profile);
  profile->events = (weir_cu_event *)(profile + 1);
  memset(profile->events, 0, model->num_events * sizeof *profile->events);
  profile->ends = (uint32_t *)(profile->events + model->num_events);
  profile->tasks = (int32_t *)(profile->ends + functions);
#define FIND(name)                                                             \
  *(void **)&profile->name = dlsym(library, #name);                            \
  if (!profile->name)                                                          \
    return WEIR_GPU_FAIL(gpu, WEIR_ERR_DRIVER,                                 \
                         "the NVIDIA driver is too old for the profile of "    \
                         "this model: it has no " #name);
  FIND(cuEventElapsedTime)
  FIND(cuEventRecordWithFlags)
#undef FIND
  return WEIR_OK;
}

weir_status weir_gpu_profile_create(weir_gpu *gpu) {
  weir_gpu_profile *profile = profile_of(gpu);
  weir_status status = WEIR_OK;
  for (uint64_t i = 0; i < gpu->model->num_events && !status; ++i)
    status = WEIR_GPU_CALL(gpu, cuEventCreate, &profile->events[i], 0);
  for (int i = 0; i < ANCHORS && !status; ++i)
    status = WEIR_GPU_CALL(gpu, cuEventCreate, &profile->anchors[i], 0);
  return status;
}

void weir_gpu_profile_destroy(weir_gpu *gpu) {
  weir_gpu_profile *profile = profile_of(gpu);
  for (uint64_t i = 0; i < gpu->model->num_events; ++i)
    if (profile->events[i])
      gpu->cuda.cuEventDestroy_v2(profile->events[i]);
  for (int i = 0; i < ANCHORS; ++i)
    if (profile->anchors[i])
      gpu->cuda.cuEventDestroy_v2(profile->anchors[i]);
}

// In a graph each launch of it records the event.
static weir_status record(const weir_gpu_stream *stream, uint32_t number) {
  weir_gpu *gpu = stream->gpu;
  weir_gpu_profile *profile = profile_of(gpu);
  if (number >= gpu->model->num_events)
    return WEIR_GPU_FAIL(gpu, WEIR_ERR_GPU,
                         "the model has more tasks than its profile");
  weir_cu_event event = profile->events[number];
  if (!stream->capturing)
    return WEIR_GPU_CALL(gpu, cuEventRecord, event, stream->stream);
  return weir_gpu_check_call(
      gpu,
      profile->cuEventRecordWithFlags(event, stream->stream,
                                      CU_EVENT_RECORD_EXTERNAL_),
      "cuEventRecordWithFlags", NULL);
}

static weir_status elapsed(weir_gpu *gpu, weir_cu_event begin,
                           weir_cu_event end, uint64_t *nanoseconds) {
  float milliseconds = 0;
  weir_status status = weir_gpu_check_call(
      gpu, profile_of(gpu)->cuEventElapsedTime(&milliseconds, begin, end),
      "cuEventElapsedTime", NULL);
  *nanoseconds = milliseconds > 0 ? (uint64_t)(milliseconds * 1e6 + 0.5) : 0;
  return status;
}

weir_status weir_gpu_profile_prepare(weir_gpu *gpu, uint32_t function,
                                     weir_cu_stream stream, int replays,
                                     weir_status status) {
  if (status || (status = weir_gpu_wait_for_device_run(gpu)))
    return status;
  weir_gpu_profile *profile = profile_of(gpu);
  profile->function = function;
  profile->end = profile->ends[function];
  profile->complete = replays;
  profile->begun = 0;
  profile->traced = profile->moved = counts_of(gpu)->trace != NULL;
  return profile->moved
             ? WEIR_GPU_CALL(gpu, cuEventRecord,
                             profile->anchors[1 - profile->anchor], stream)
             : WEIR_OK;
}

weir_status weir_gpu_profile_start(const weir_gpu_stream *stream) {
  return record(stream, 0);
}

void weir_gpu_profile_enter(weir_gpu *gpu, uint32_t function) {
  weir_gpu_profile *profile = profile_of(gpu);
  profile->function = function;
  profile->end = 1;
  profile->skipped = 1;
}

void weir_gpu_profile_skip(weir_gpu *gpu) { profile_of(gpu)->skipped = 1; }

// Records the next event, at which the task ends.
static weir_status add(weir_gpu_stream *stream, int32_t task) {
  weir_gpu_profile *profile = profile_of(stream->gpu);
  weir_status status = record(stream, profile->end);
  if (!status)
    tasks_of(stream->gpu, profile)[profile->end++] = task;
  return status;
}

static void trace(weir_gpu *gpu, uint64_t begin, uint64_t end, uint32_t task,
                  uint32_t kind) {
  weir_profile *counts = counts_of(gpu);
  weir_profile_note(counts, 0,
                    (weir_profile_event){counts->origin + begin,
                                         counts->origin + end, task, kind});
}

// The time of event 0 in the trace.
static weir_status find_begin(weir_gpu *gpu, uint64_t *at) {
  weir_gpu_profile *profile = profile_of(gpu);
  const weir_cu_event *anchors = profile->anchors;
  uint64_t passed;
  if (profile->moved) {
    weir_status status = elapsed(gpu, anchors[profile->anchor],
                                 anchors[1 - profile->anchor], &passed);
    if (status)
      return status;
    profile->moved = 0;
    profile->anchor = 1 - profile->anchor;
    profile->anchor_time += passed;
  }
  weir_status status =
      elapsed(gpu, anchors[profile->anchor], profile->events[0], &passed);
  *at = profile->anchor_time + passed;
  if (!profile->begun)
    profile->begin_time = *at;
  profile->begun = 1;
  return status;
}

// Adds the times between the events before `end`.
static weir_status add_times(weir_gpu *gpu, uint32_t end) {
  weir_gpu_profile *profile = profile_of(gpu);
  weir_profile *counts = counts_of(gpu);
  const int32_t *tasks = tasks_of(gpu, profile);
  uint64_t at = 0, passed = 0;
  weir_status status = profile->traced ? find_begin(gpu, &at) : WEIR_OK;
  for (uint32_t i = 1; i < end && !status; ++i) {
    status = elapsed(gpu, profile->events[i - 1], profile->events[i], &passed);
    if (status)
      break;
    counts->ticks += passed;
    if (tasks[i] != NO_TASK) {
      ++counts->slots[tasks[i]].calls;
      counts->slots[tasks[i]].ticks += passed;
      if (profile->traced)
        trace(gpu, at, at + passed, (uint32_t)tasks[i], WEIR_PROFILE_TASK);
    }
    at += passed;
  }
  profile->end_time = at;
  return status;
}

// Room for the events of a task and of the run's end. In a loop there may be
// more tasks than events; then those so far are read.
int32_t weir_gpu_profile_task_begin(weir_gpu_stream *stream) {
  weir_gpu *gpu = stream->gpu;
  weir_gpu_profile *profile = profile_of(gpu);
  weir_status status = WEIR_OK;
  if (profile->end + 3 > gpu->model->num_events && !stream->capturing) {
    status = WEIR_GPU_CALL(gpu, cuStreamSynchronize, stream->stream);
    if (!status)
      status = add_times(gpu, profile->end);
    profile->end = 0;
    profile->skipped = 1;
  }
  if (!status && profile->skipped)
    status = add(stream, NO_TASK);
  profile->skipped = 0;
  return status ? WEIR_GPU_FAILED : 0;
}

int32_t weir_gpu_profile_task_end(weir_gpu_stream *stream, uint32_t task) {
  return add(stream, (int32_t)task) ? WEIR_GPU_FAILED : 0;
}

weir_status weir_gpu_profile_stop(const weir_gpu_stream *stream,
                                  weir_status status) {
  weir_gpu_profile *profile = profile_of(stream->gpu);
  if (status || (status = record(stream, profile->end)))
    return status;
  tasks_of(stream->gpu, profile)[profile->end] = NO_TASK;
  if (stream->capturing)
    profile->ends[profile->function] = profile->end;
  else
    profile->complete = 1;
  return WEIR_OK;
}

weir_status weir_gpu_profile_collect(weir_gpu *gpu, weir_status status) {
  weir_gpu_profile *profile = profile_of(gpu);
  weir_profile *counts = counts_of(gpu);
  if (status || !profile->complete)
    return status;
  profile->complete = 0;
  if ((status = add_times(gpu, profile->end + 1)))
    return status;
  ++counts->runs;
  if (profile->traced)
    trace(gpu, profile->begin_time, profile->end_time, profile->function,
          WEIR_PROFILE_RUN);
  return WEIR_OK;
}

// Has the counts of all runs so far. A tick is a nanosecond.
static weir_status settle(weir_gpu *gpu) {
  weir_status status = weir_gpu_enter(gpu);
  if (!status)
    status = weir_gpu_wait_for_device_run(gpu);
  weir_gpu_leave(gpu);
  counts_of(gpu)->scale = 1;
  return status;
}

static weir_status settle_call(const weir_gpu_model *model, void *memory,
                               weir_gpu **gpu) {
  weir_status status = weir_gpu_begin(model, memory, gpu);
  return status ? status : weir_gpu_end(*gpu, settle(*gpu));
}

// The rest of each is a call of its own on the host's context.
static const weir_profile_model *host_of(const weir_gpu_model *model) {
  return (const weir_profile_model *)model;
}

weir_status weir_gpu_profile_tasks(const weir_gpu_model *model, void *memory,
                                   const weir_profile_task **tasks,
                                   uint32_t *count) {
  weir_gpu *gpu;
  weir_status status = settle_call(model, memory, &gpu);
  return status
             ? status
             : weir_profile_tasks(host_of(model), gpu->context, tasks, count);
}

weir_status weir_gpu_profile_read(const weir_gpu_model *model, void *memory,
                                  weir_profile_time *times, uint32_t count,
                                  weir_profile_runs *runs) {
  weir_gpu *gpu;
  weir_status status = settle_call(model, memory, &gpu);
  if (!status)
    status =
        weir_profile_read(host_of(model), gpu->context, times, count, runs);
  if (!status && runs)
    runs->on_gpu = 1;
  return status;
}

weir_status weir_gpu_profile_reset(const weir_gpu_model *model, void *memory) {
  weir_gpu *gpu;
  weir_status status = settle_call(model, memory, &gpu);
  return status ? status : weir_profile_reset(host_of(model), gpu->context);
}

// The first anchor of a trace.
static weir_status drop_anchor(weir_gpu *gpu) {
  weir_gpu_profile *profile = profile_of(gpu);
  weir_status status = settle(gpu);
  if (!status)
    status = weir_gpu_enter(gpu);
  if (status)
    return status;
  status = WEIR_GPU_CALL(gpu, cuEventRecord, profile->anchors[profile->anchor],
                         gpu->stream);
  if (!status)
    status = WEIR_GPU_CALL(gpu, cuStreamSynchronize, gpu->stream);
  weir_gpu_leave(gpu);
  profile->anchor_time = 0;
  return status;
}

weir_status weir_gpu_profile_trace(const weir_gpu_model *model, void *memory,
                                   weir_profile_event *events, uint64_t count) {
  weir_gpu *gpu;
  weir_status status = weir_gpu_begin(model, memory, &gpu);
  if (!status)
    status = weir_gpu_end(gpu, drop_anchor(gpu));
  return status
             ? status
             : weir_profile_trace(host_of(model), gpu->context, events, count);
}

weir_status weir_gpu_profile_events(const weir_gpu_model *model, void *memory,
                                    uint32_t lane, weir_profile_event *to,
                                    uint64_t *count) {
  weir_gpu *gpu;
  weir_status status = settle_call(model, memory, &gpu);
  return status ? status
                : weir_profile_events(host_of(model), gpu->context, lane, to,
                                      count);
}
