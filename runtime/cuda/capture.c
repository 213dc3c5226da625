// Each function's work, recorded once: a run is then one launch of a graph,
// whatever it consists of.

#include "runtime/cuda/events.h"
#include "runtime/cuda/state.h"
#include "runtime/libc.h"

size_t weir_gpu_reserve(size_t *total, size_t bytes) {
  size_t at = *total;
  if (bytes > SIZE_MAX - WEIR_GPU_ALIGN ||
      at > SIZE_MAX - WEIR_GPU_ALIGN - bytes)
    *total = SIZE_MAX;
  else
    *total = (at + bytes + WEIR_GPU_ALIGN - 1) & ~(size_t)(WEIR_GPU_ALIGN - 1);
  return at;
}

// Lays out one tensor; answers where it ends.
static size_t lay(size_t *total, size_t bytes, weir_cu_address base,
                  void **at) {
  size_t begin = weir_gpu_reserve(total, bytes);
  if (at)
    *at = (void *)(base + begin);
  return *total == SIZE_MAX ? SIZE_MAX : begin + bytes;
}

weir_gpu_layout weir_gpu_lay_out(const weir_function_info *function,
                                 weir_cu_address base, void **at) {
  weir_gpu_layout layout = {0, 0, 0};
  size_t total = 0;
  for (uint32_t i = 0; i < function->num_inputs; ++i)
    layout.inputs_end =
        lay(&total, function->inputs[i].bytes, base, at ? at + i : NULL);
  layout.outputs = layout.end = total;
  if (at)
    at += function->num_inputs;
  for (uint32_t i = 0; i < function->num_outputs; ++i)
    layout.end =
        lay(&total, function->outputs[i].bytes, base, at ? at + i : NULL);
  return layout;
}

weir_status weir_gpu_copy_in(weir_gpu *gpu, const weir_gpu_layout *layout,
                             weir_cu_stream stream) {
  if (!layout->inputs_end)
    return WEIR_OK;
  return WEIR_GPU_CALL(gpu, cuMemcpyHtoDAsync_v2, gpu->tensors, gpu->staging,
                       layout->inputs_end, stream);
}

weir_status weir_gpu_copy_out(weir_gpu *gpu, const weir_gpu_layout *layout,
                              weir_cu_stream stream) {
  if (layout->end == layout->outputs)
    return WEIR_OK;
  return WEIR_GPU_CALL(
      gpu, cuMemcpyDtoHAsync_v2, gpu->staging + layout->outputs,
      gpu->tensors + layout->outputs, layout->end - layout->outputs, stream);
}

int32_t weir_gpu_issue(weir_gpu *gpu, uint32_t function,
                       weir_gpu_stream *stream) {
  gpu->status = WEIR_OK;
  weir_gpu_profile_enter(gpu, function);
  return gpu->context->entries[function]((void *)gpu->arena,
                                         (const void *)gpu->weights, gpu->at,
                                         (void *)stream, (void *)gpu->state);
}

static weir_status record(weir_gpu *gpu, uint32_t which, int with_copies,
                          const weir_gpu_layout *layout) {
  weir_gpu_stream stream = {gpu, gpu->stream, 1, 0};
  if (with_copies && (weir_gpu_profile_start(&stream) ||
                      weir_gpu_copy_in(gpu, layout, gpu->stream)))
    return gpu->status;
  int32_t failed = weir_gpu_issue(gpu, which, &stream);
  if (failed)
    return gpu->status
               ? gpu->status
               : WEIR_GPU_FAIL(gpu, WEIR_ERR_GPU, "function '",
                               gpu->model->model.info->functions[which].name,
                               "' fails before it has run");
  return with_copies ? weir_gpu_profile_stop(
                           &stream, weir_gpu_copy_out(gpu, layout, gpu->stream))
                     : WEIR_OK;
}

static weir_status capture_one(weir_gpu *gpu, uint32_t which, int with_copies,
                               const weir_gpu_layout *layout,
                               weir_cu_graph_exec *exec) {
  // Only this thread's calls could disturb the recording.
  weir_status status = WEIR_GPU_CALL(gpu, cuStreamBeginCapture_v2, gpu->stream,
                                     CU_STREAM_CAPTURE_MODE_THREAD_LOCAL_);
  if (status)
    return status;
  status = record(gpu, which, with_copies, layout);
  weir_cu_graph graph = NULL;
  // Ends in any case; after a failure, what it answers says less.
  weir_cu_result ended = gpu->cuda.cuStreamEndCapture(gpu->stream, &graph);
  if (!status)
    status = weir_gpu_check_call(gpu, ended, "cuStreamEndCapture", NULL);
  if (!status)
    status = WEIR_GPU_CALL(gpu, cuGraphInstantiateWithFlags, exec, graph, 0);
  if (!status)
    status = WEIR_GPU_CALL(gpu, cuGraphUpload, *exec, gpu->stream);
  if (graph)
    gpu->cuda.cuGraphDestroy(graph);
  return status;
}

weir_status weir_gpu_capture(weir_gpu *gpu) {
  const weir_model_info *info = gpu->model->model.info;
  for (uint32_t i = 0; i < info->num_functions; ++i) {
    if (!(gpu->model->gpu->flags[i] & WEIR_GPU_CAPTURABLE))
      continue;
    weir_gpu_layout layout =
        weir_gpu_lay_out(&info->functions[i], gpu->tensors, gpu->at);
    weir_status status = capture_one(gpu, i, 1, &layout, &gpu->whole[i]);
    if (!status)
      status = capture_one(gpu, i, 0, &layout, &gpu->kernel[i]);
    if (status)
      return status;
  }
  return WEIR_OK;
}

void weir_gpu_free_graphs(weir_gpu *gpu) {
  for (uint32_t i = 0; i < gpu->model->model.info->num_functions; ++i) {
    if (gpu->whole[i])
      gpu->cuda.cuGraphExecDestroy(gpu->whole[i]);
    if (gpu->kernel[i])
      gpu->cuda.cuGraphExecDestroy(gpu->kernel[i]);
  }
}
