// Create and destroy of a model for a GPU. All memory, of the host and of the
// device, is of create: a run allocates and loads nothing.

#include "runtime/context.h"
#include "runtime/cuda/events.h"
#include "runtime/cuda/state.h"

// The compiler reads this off the bitcode.
const size_t weir_gpu_bytes = sizeof(weir_gpu);
const size_t weir_gpu_plan_bytes = sizeof(weir_gpu_plan);
const size_t weir_gpu_dnn_plan_bytes = sizeof(weir_gpu_dnn_plan);

static uint32_t most_tensors(const weir_model_info *info) {
  uint32_t most = 0;
  for (uint32_t i = 0; i < info->num_functions; ++i) {
    const weir_function_info *function = &info->functions[i];
    uint32_t count = function->num_inputs + function->num_outputs;
    most = count > most ? count : most;
  }
  return most;
}

static weir_status clear(weir_gpu *gpu, weir_cu_address at, size_t bytes) {
  return bytes ? WEIR_GPU_CALL(gpu, cuMemsetD8Async, at, 0, bytes, gpu->stream)
               : WEIR_OK;
}

static weir_status allocate(weir_gpu *gpu) {
  const weir_model_info *info = gpu->model->model.info;
  size_t tensors = 0, device = 0, host = 0, most = 0;
  for (uint64_t i = 0; i < gpu->model->num_gemms; ++i)
    if (gpu->model->gemms[i].workspace_bytes > most)
      most = gpu->model->gemms[i].workspace_bytes;
  for (uint64_t i = 0; i < gpu->model->num_convs; ++i)
    if (gpu->model->convs[i].workspace_bytes > most)
      most = gpu->model->convs[i].workspace_bytes;
  for (uint64_t i = 0; i < gpu->model->num_attentions; ++i)
    if (gpu->model->attentions[i].workspace_bytes > most)
      most = gpu->model->attentions[i].workspace_bytes;
  for (uint32_t i = 0; i < info->num_functions; ++i) {
    size_t end = weir_gpu_lay_out(&info->functions[i], 0, NULL).end;
    tensors = end > tensors ? end : tensors;
  }
  size_t arena = weir_gpu_reserve(&device, info->arena_bytes);
  size_t weights = weir_gpu_reserve(&device, info->weights_bytes);
  size_t state = weir_gpu_reserve(&device, info->state_bytes);
  size_t device_tensors = weir_gpu_reserve(&device, tensors);
  size_t workspace = weir_gpu_reserve(&device, most);
  weir_gpu_reserve(&host, WEIR_GPU_READ_BYTES);
  size_t checks = weir_gpu_reserve(&host, gpu->model->model.num_checks);
  size_t staging = weir_gpu_reserve(&host, tensors);
  size_t copy = weir_gpu_reserve(&host, info->state_bytes);
  size_t own = weir_gpu_reserve(&host, gpu->model->host_bytes);
  if (device == SIZE_MAX || host == SIZE_MAX)
    return WEIR_GPU_FAIL(gpu, WEIR_ERR_MEMORY,
                         "the model needs more memory than there can be");
  weir_gpu_number number;
  weir_status status = weir_gpu_check_call(
      gpu, gpu->cuda.cuMemAlloc_v2(&gpu->memory, device ? device : 1),
      "cuMemAlloc_v2", weir_gpu_in_bytes(&number, device));
  void *pinned = NULL;
  if (!status)
    status =
        weir_gpu_check_call(gpu, gpu->cuda.cuMemHostAlloc(&pinned, host, 0),
                            "cuMemHostAlloc", weir_gpu_in_bytes(&number, host));
  if (status)
    return status;
  gpu->arena = gpu->memory + arena;
  gpu->weights = gpu->memory + weights;
  gpu->state = gpu->memory + state;
  gpu->tensors = gpu->memory + device_tensors;
  gpu->workspace = gpu->memory + workspace;
  gpu->pinned = pinned;
  gpu->passed = (unsigned char *)pinned + checks;
  gpu->staging = (char *)pinned + staging;
  gpu->host.memory = (char *)pinned + own;
  memset(gpu->passed, 1, gpu->model->model.num_checks);
  // Where the host and the device share one space of addresses, an output may
  // be compared with it.
  gpu->context->arena = (void *)gpu->arena;
  gpu->context->state = (char *)pinned + copy;
  status = clear(gpu, gpu->arena, info->arena_bytes);
  return status ? status : clear(gpu, gpu->state, info->state_bytes);
}

static weir_status upload_weights(weir_gpu *gpu, const weir_config *config) {
  weir_context *context = gpu->context;
  size_t bytes = gpu->model->model.info->weights_bytes;
  weir_status status = weir_find_weights(context, config);
  if (status || !bytes)
    return status;
  // On the stream that uses them: nothing else waits for such a copy to end,
  // which may be after the call where the source is no pinned memory.
  status = WEIR_GPU_CALL(gpu, cuMemcpyHtoDAsync_v2, gpu->weights,
                         context->weights, bytes, gpu->stream);
  if (!status)
    status = WEIR_GPU_CALL(gpu, cuStreamSynchronize, gpu->stream);
  if (gpu->model->host_bytes) {
    gpu->host.weights = context->weights;
  } else {
    weir_weights_unmap(context);
    context->mapping = NULL;
  }
  context->weights = (const void *)gpu->weights;
  return status;
}

static weir_status start(weir_gpu *gpu, const weir_config *config) {
  weir_status status = weir_gpu_load_driver(gpu);
  if (!status)
    status = weir_gpu_load_code(gpu, config);
  if (!status)
    status = WEIR_GPU_CALL(gpu, cuStreamCreate, &gpu->stream,
                           CU_STREAM_NON_BLOCKING_);
  if (!status)
    status =
        WEIR_GPU_CALL(gpu, cuEventCreate, &gpu->done, CU_EVENT_DISABLE_TIMING_);
  if (!status)
    status = weir_gpu_profile_create(gpu);
  if (!status)
    status = allocate(gpu);
  if (!status)
    status = upload_weights(gpu, config);
  if (!status)
    status = weir_gpu_plan_gemms(gpu);
  if (!status)
    status = weir_gpu_plan_dnn(gpu);
  if (!status)
    status = weir_gpu_capture(gpu);
  if (!status)
    status = WEIR_GPU_CALL(gpu, cuStreamSynchronize, gpu->stream);
  return status;
}

static void point_at_arrays(weir_gpu *gpu) {
  const weir_model_info *info = gpu->model->model.info;
  gpu->kernels = (weir_cu_function *)(gpu + 1);
  gpu->at = (void **)(gpu->kernels + gpu->model->gpu->num_kernels);
  gpu->whole = (weir_cu_graph_exec *)(gpu->at + most_tensors(info));
  gpu->kernel = gpu->whole + info->num_functions;
  gpu->plans = (weir_gpu_plan *)(gpu->kernel + info->num_functions);
  gpu->dnn_plans = (weir_gpu_dnn_plan *)(gpu->plans + gpu->model->num_gemms);
}

weir_status weir_gpu_model_create(const weir_gpu_model *model, void *memory,
                                  const weir_config *config, void **out) {
  if (!out)
    return WEIR_ERR_NULL;
  *out = NULL;
  if (config && config->abi_version != WEIR_ABI_VERSION)
    return WEIR_ERR_VERSION;
  weir_tell(config, "");
  if ((uintptr_t)memory % WEIR_ALIGN)
    return WEIR_ERR_ALIGNMENT;
  weir_gpu *gpu = memory;
  if (!gpu)
    gpu = aligned_alloc(WEIR_ALIGN, model->model.info->context_bytes);
  if (!gpu)
    return WEIR_ERR_MEMORY;
  memset(gpu, 0, model->context_at);
  gpu->model = model;
  gpu->own = memory ? NULL : gpu;
  point_at_arrays(gpu);
  weir_status status = weir_context_begin(
      &model->model, (char *)gpu + model->context_at, config, &gpu->context);
  if (status) {
    weir_tell(config, weir_gpu_status_text(status));
    free(gpu->own);
    return status;
  }
  status = start(gpu, config);
  weir_gpu_leave(gpu);
  if (status) {
    weir_tell(config, *weir_gpu_text_of(gpu) ? weir_gpu_text_of(gpu)
                                             : weir_gpu_status_text(status));
    weir_gpu_model_destroy(model, gpu);
    return status;
  }
  *out = gpu;
  return WEIR_OK;
}

// Failures no longer interest, and a null handle is what was not made.
void weir_gpu_model_destroy(const weir_gpu_model *model, void *memory) {
  weir_gpu *gpu = weir_gpu_alive(model, memory);
  if (!gpu)
    return;
  gpu->context->magic = 0;
  const weir_cuda *cuda = &gpu->cuda;
  if (gpu->device_context) {
    weir_gpu_enter(gpu);
    if (gpu->pending)
      cuda->cuEventSynchronize(gpu->done);
    if (gpu->stream)
      cuda->cuStreamSynchronize(gpu->stream);
    weir_gpu_free_graphs(gpu);
    weir_gpu_free_gemms(gpu);
    weir_gpu_free_dnn(gpu);
    weir_gpu_profile_destroy(gpu);
    if (gpu->done)
      cuda->cuEventDestroy_v2(gpu->done);
    if (gpu->stream)
      cuda->cuStreamDestroy_v2(gpu->stream);
    if (gpu->module)
      cuda->cuModuleUnload(gpu->module);
    if (gpu->pinned)
      cuda->cuMemFreeHost(gpu->pinned);
    if (gpu->memory)
      cuda->cuMemFree_v2(gpu->memory);
    weir_gpu_leave(gpu);
    cuda->cuDevicePrimaryCtxRelease_v2(gpu->device);
  }
  weir_weights_unmap(gpu->context);
  free(gpu->own);
}
