// The profile of a model for a GPU: events of the driver before and after each
// task, whose times are read when a run is done. Only libraries of --profile
// have it. They are compiled with WEIR_GPU_PROFILE; without it the functions
// that the other files of this folder call are empty. Where one has a status
// for an argument, it does nothing after a failure but return that.
#ifndef WEIR_RUNTIME_CUDA_EVENTS_H
#define WEIR_RUNTIME_CUDA_EVENTS_H

#include "runtime/cuda/state.h"

#ifdef WEIR_GPU_PROFILE

#include "runtime/profile/profile.h"

// What create begins with, and finds in the driver's library; makes the events
// once the device's context is current; gives them back.
weir_status weir_gpu_profile_begin(weir_gpu *gpu, void *library);
weir_status weir_gpu_profile_create(weir_gpu *gpu);
void weir_gpu_profile_destroy(weir_gpu *gpu);

// Before a run on `stream`: reads the events of the run before, which must be
// done, because the runs of a context share the events. `replays` is set where
// the run is one graph, which has the events at both ends.
weir_status weir_gpu_profile_prepare(weir_gpu *gpu, uint32_t function,
                                     weir_cu_stream stream, int replays,
                                     weir_status status);
// Record the events at both ends of a run, outside the copies of tensors.
weir_status weir_gpu_profile_start(const weir_gpu_stream *stream);
weir_status weir_gpu_profile_stop(const weir_gpu_stream *stream,
                                  weir_status status);
// Before the entry of a function issues work.
void weir_gpu_profile_enter(weir_gpu *gpu, uint32_t function);
// Work was issued that is no task.
void weir_gpu_profile_skip(weir_gpu *gpu);
// Adds the times of a run to the counts, once it is done.
weir_status weir_gpu_profile_collect(weir_gpu *gpu, weir_status status);

// Calls of an entry, before and after each task.
int32_t weir_gpu_profile_task_begin(weir_gpu_stream *stream);
int32_t weir_gpu_profile_task_end(weir_gpu_stream *stream, uint32_t task);

// The functions of weir_profile_info.
weir_status weir_gpu_profile_tasks(const weir_gpu_model *model, void *memory,
                                   const weir_profile_task **tasks,
                                   uint32_t *count);
weir_status weir_gpu_profile_read(const weir_gpu_model *model, void *memory,
                                  weir_profile_time *times, uint32_t count,
                                  weir_profile_runs *runs);
weir_status weir_gpu_profile_reset(const weir_gpu_model *model, void *memory);
weir_status weir_gpu_profile_trace(const weir_gpu_model *model, void *memory,
                                   weir_profile_event *events, uint64_t count);
weir_status weir_gpu_profile_events(const weir_gpu_model *model, void *memory,
                                    uint32_t lane, weir_profile_event *to,
                                    uint64_t *count);

// Behind the weir_profile of a context and its slots: this, an address for each
// event, and 4 bytes for each function and for each of its events.
extern const size_t weir_gpu_profile_bytes;

#else

static inline weir_status weir_gpu_profile_begin(weir_gpu *gpu, void *library) {
  (void)gpu, (void)library;
  return WEIR_OK;
}
static inline weir_status weir_gpu_profile_create(weir_gpu *gpu) {
  (void)gpu;
  return WEIR_OK;
}
static inline void weir_gpu_profile_destroy(weir_gpu *gpu) { (void)gpu; }
static inline weir_status weir_gpu_profile_prepare(weir_gpu *gpu,
                                                   uint32_t function,
                                                   weir_cu_stream stream,
                                                   int replays,
                                                   weir_status status) {
  (void)gpu, (void)function, (void)stream, (void)replays;
  return status;
}
static inline weir_status
weir_gpu_profile_start(const weir_gpu_stream *stream) {
  (void)stream;
  return WEIR_OK;
}
static inline weir_status weir_gpu_profile_stop(const weir_gpu_stream *stream,
                                                weir_status status) {
  (void)stream;
  return status;
}
static inline void weir_gpu_profile_enter(weir_gpu *gpu, uint32_t function) {
  (void)gpu, (void)function;
}
static inline void weir_gpu_profile_skip(weir_gpu *gpu) { (void)gpu; }
static inline weir_status weir_gpu_profile_collect(weir_gpu *gpu,
                                                   weir_status status) {
  (void)gpu;
  return status;
}

#endif

#endif
