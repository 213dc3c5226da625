// Variables of a model for a GPU: they live in the device's memory, and pass
// through the host's on their way to and from checkpoints.

#include "runtime/context.h"
#include "runtime/cuda/state.h"

void *weir_gpu_model_state(const weir_gpu_model *model, void *memory) {
  weir_gpu *gpu = weir_gpu_alive(model, memory);
  return gpu ? (void *)gpu->state : NULL;
}

void *weir_gpu_model_variable(const weir_gpu_model *model, void *memory,
                              uint32_t variable) {
  char *state = weir_gpu_model_state(model, memory);
  return state ? state + model->model.info->variables[variable].offset : NULL;
}

// Between the device's variables and the host's, when no run uses them.
static weir_status copy(weir_gpu *gpu, int to_device) {
  size_t bytes = gpu->model->model.info->state_bytes;
  weir_status status = weir_gpu_enter(gpu);
  if (status)
    return status;
  status = weir_gpu_wait_for_device_run(gpu);
  if (!status && bytes)
    status = to_device
                 ? WEIR_GPU_CALL(gpu, cuMemcpyHtoDAsync_v2, gpu->state,
                                 gpu->context->state, bytes, gpu->stream)
                 : WEIR_GPU_CALL(gpu, cuMemcpyDtoHAsync_v2, gpu->context->state,
                                 gpu->state, bytes, gpu->stream);
  if (!status)
    status = WEIR_GPU_CALL(gpu, cuStreamSynchronize, gpu->stream);
  weir_gpu_leave(gpu);
  return status;
}

weir_status weir_gpu_model_save(const weir_gpu_model *model, void *memory,
                                const char *path, weir_checkpoint *save) {
  weir_gpu *gpu;
  weir_status status =
      path ? weir_gpu_begin(model, memory, &gpu) : WEIR_ERR_NULL;
  if (!status)
    status = weir_gpu_end(
        gpu, gpu->context->initialized ? copy(gpu, /*to_device=*/0) : WEIR_OK);
  return status ? status : save(&model->model, gpu->context, path);
}

// A checkpoint that is refused changes the host's copy at most.
weir_status weir_gpu_model_restore(const weir_gpu_model *model, void *memory,
                                   const char *path, weir_checkpoint *restore) {
  weir_gpu *gpu;
  weir_status status =
      path ? weir_gpu_begin(model, memory, &gpu) : WEIR_ERR_NULL;
  // Restoring is a call of its own on the host's context.
  if (!status)
    status = weir_gpu_end(gpu, WEIR_OK);
  if (!status)
    status = restore(&model->model, gpu->context, path);
  if (!status)
    status = weir_gpu_begin(model, memory, &gpu);
  if (status)
    return status;
  status = copy(gpu, /*to_device=*/1);
  gpu->context->initialized = !status;
  return weir_gpu_end(gpu, status);
}
