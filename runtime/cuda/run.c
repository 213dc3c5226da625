// The runs of a model for a GPU, and what they came to.

#include "runtime/context.h"
#include "runtime/cuda/events.h"
#include "runtime/cuda/state.h"

weir_gpu *weir_gpu_alive(const weir_gpu_model *model, const void *memory) {
  if (!memory || (uintptr_t)memory % sizeof(void *))
    return NULL;
  const weir_context *context =
      (const weir_context *)((const char *)memory + model->context_at);
  return weir_context_alive(&model->model, context) ? (weir_gpu *)memory : NULL;
}

weir_status weir_gpu_enter(weir_gpu *gpu) {
  weir_status status =
      WEIR_GPU_CALL(gpu, cuCtxPushCurrent_v2, gpu->device_context);
  gpu->entered = !status;
  return status;
}

// The caller's own context is current again.
void weir_gpu_leave(weir_gpu *gpu) {
  weir_cu_context ours;
  if (gpu->entered)
    gpu->cuda.cuCtxPopCurrent_v2(&ours);
  gpu->entered = 0;
}

const char *weir_gpu_text_of(const weir_gpu *gpu) {
  return *gpu->text ? gpu->text : gpu->context->message;
}

const char *weir_gpu_model_last_error(const weir_gpu_model *model,
                                      const void *memory) {
  const weir_gpu *gpu = weir_gpu_alive(model, memory);
  return gpu ? weir_gpu_text_of(gpu) : weir_status_text(WEIR_ERR_CONTEXT);
}

// The first check that has failed since this was asked last, counted from 1; 0:
// none has.
static uint32_t take_failed_check(weir_gpu *gpu) {
  uint32_t first = 0;
  for (uint64_t i = gpu->model->model.num_checks; i-- > 0;)
    if (!gpu->passed[i]) {
      first = (uint32_t)i + 1;
      gpu->passed[i] = 1;
    }
  return first;
}

weir_status weir_gpu_wait_for_device_run(weir_gpu *gpu) {
  if (!gpu->pending)
    return WEIR_OK;
  gpu->pending = 0;
  return weir_gpu_profile_collect(
      gpu, WEIR_GPU_CALL(gpu, cuEventSynchronize, gpu->done));
}

// What a run that has been issued in whole or in part comes to.
static weir_status result(weir_gpu *gpu, int32_t answered, uint32_t failed) {
  if (answered < 0)
    return gpu->status
               ? gpu->status
               : WEIR_GPU_FAIL(gpu, WEIR_ERR_GPU, "the model's entry failed");
  return weir_check_result(gpu->context, answered ? answered : (int32_t)failed);
}

static weir_status run(weir_gpu *gpu, uint32_t which, void *const *tensors) {
  const weir_function_info *function =
      &gpu->model->model.info->functions[which];
  weir_status status = weir_gpu_profile_prepare(
      gpu, which, gpu->stream, gpu->whole[which] != NULL,
      weir_gpu_wait_for_device_run(gpu));
  if (status)
    return status;
  take_failed_check(gpu);
  weir_gpu_layout layout = weir_gpu_lay_out(function, gpu->tensors, gpu->at);
  weir_gpu_stream stream = {gpu, gpu->stream, 0, 0};
  int32_t answered = 0;
  for (uint32_t i = 0; i < function->num_inputs; ++i)
    if (function->inputs[i].bytes)
      memcpy(gpu->staging + ((weir_cu_address)gpu->at[i] - gpu->tensors),
             tensors[i], function->inputs[i].bytes);
  if (gpu->whole[which]) {
    status = WEIR_GPU_CALL(gpu, cuGraphLaunch, gpu->whole[which], gpu->stream);
  } else {
    status = weir_gpu_profile_start(&stream);
    if (!status)
      status = weir_gpu_copy_in(gpu, &layout, gpu->stream);
    if (!status)
      answered = weir_gpu_issue(gpu, which, &stream);
    if (!status && answered >= 0)
      status = weir_gpu_profile_stop(
          &stream, weir_gpu_copy_out(gpu, &layout, gpu->stream));
  }
  // After a failure too: what was issued uses the staging memory.
  if (status || answered < 0)
    gpu->cuda.cuStreamSynchronize(gpu->stream);
  else
    status = WEIR_GPU_CALL(gpu, cuStreamSynchronize, gpu->stream);
  status = weir_gpu_profile_collect(gpu, status);
  if (status)
    return status;
  if (answered >= 0)
    for (uint32_t i = 0; i < function->num_outputs; ++i)
      if (function->outputs[i].bytes)
        memcpy(tensors[function->num_inputs + i],
               gpu->staging +
                   ((weir_cu_address)gpu->at[function->num_inputs + i] -
                    gpu->tensors),
               function->outputs[i].bytes);
  uint32_t failed = take_failed_check(gpu);
  return result(gpu, answered, stream.failed ? stream.failed : failed);
}

// Tensors of the caller's go to where the graph has them and back, inputs
// before it and outputs behind it.
static weir_status copy_tensors(weir_gpu *gpu, const weir_tensor_info *infos,
                                uint32_t count, void *const *to,
                                void *const *from, weir_cu_stream stream) {
  weir_status status = WEIR_OK;
  for (uint32_t i = 0; i < count && !status; ++i)
    if (infos[i].bytes && to[i] != from[i])
      status = WEIR_GPU_CALL(gpu, cuMemcpyDtoDAsync_v2, (weir_cu_address)to[i],
                             (weir_cu_address)from[i], infos[i].bytes, stream);
  return status;
}

static weir_status run_device(weir_gpu *gpu, uint32_t which,
                              void *const *tensors, weir_cu_stream on) {
  const weir_function_info *function =
      &gpu->model->model.info->functions[which];
  uint32_t inputs = function->num_inputs;
  weir_gpu_lay_out(function, gpu->tensors, gpu->at);
  weir_gpu_stream stream = {gpu, on, 0, 0};
  int32_t answered = 0;
  // The memory is one run's at a time, on whatever streams they are.
  weir_status status = weir_gpu_profile_prepare(
      gpu, which, on, /*replays=*/0,
      gpu->pending ? WEIR_GPU_CALL(gpu, cuStreamWaitEvent, on, gpu->done, 0)
                   : WEIR_OK);
  if (!status)
    status = weir_gpu_profile_start(&stream);
  if (!status)
    status = copy_tensors(gpu, function->inputs, inputs, gpu->at, tensors, on);
  if (!status && gpu->kernel[which])
    status = WEIR_GPU_CALL(gpu, cuGraphLaunch, gpu->kernel[which], on);
  else if (!status)
    answered = weir_gpu_issue(gpu, which, &stream);
  if (!status && answered >= 0)
    status = weir_gpu_profile_stop(
        &stream, copy_tensors(gpu, function->outputs, function->num_outputs,
                              tensors + inputs, gpu->at + inputs, on));
  weir_cu_result recorded = gpu->cuda.cuEventRecord(gpu->done, on);
  gpu->pending = !recorded;
  if (!status && answered >= 0)
    status = weir_gpu_check_call(gpu, recorded, "cuEventRecord", NULL);
  return status ? status : result(gpu, answered, stream.failed);
}

weir_status weir_gpu_begin(const weir_gpu_model *model, void *memory,
                           weir_gpu **gpu) {
  if (!memory)
    return WEIR_ERR_NULL;
  *gpu = weir_gpu_alive(model, memory);
  if (!*gpu)
    return WEIR_ERR_CONTEXT;
  weir_status status = weir_begin_call((*gpu)->context);
  if (status)
    return status;
  *(*gpu)->text = *(*gpu)->context->message = 0;
  return (*gpu)->status = WEIR_OK;
}

weir_status weir_gpu_end(weir_gpu *gpu, weir_status status) {
  return weir_end_call(gpu->context, status);
}

static weir_status call(weir_gpu *gpu, uint32_t function, void *const *tensors,
                        uint32_t num_tensors, int on_device, void *stream) {
  weir_status status =
      weir_check_call(gpu->context, function, tensors, num_tensors);
  // Sizes in the GPU's memory are for its kernels to check.
  if (!status && !on_device)
    status = weir_check_sizes(gpu->context, function, tensors);
  if (!status)
    status = weir_check_initialized(gpu->context, function);
  if (status || (status = weir_gpu_enter(gpu)))
    return status;
  status = on_device ? run_device(gpu, function, tensors, stream)
                     : run(gpu, function, tensors);
  weir_gpu_leave(gpu);
  if (!status)
    weir_note_initialized(gpu->context, function);
  return status;
}

weir_status weir_gpu_model_run(const weir_gpu_model *model, void *memory,
                               uint32_t function, void *const *tensors,
                               uint32_t num_tensors) {
  weir_gpu *gpu;
  weir_status status = weir_gpu_begin(model, memory, &gpu);
  return status ? status
                : weir_gpu_end(
                      gpu, call(gpu, function, tensors, num_tensors, 0, NULL));
}

weir_status weir_gpu_model_run_device(const weir_gpu_model *model, void *memory,
                                      uint32_t function, void *const *tensors,
                                      uint32_t num_tensors, void *stream) {
  weir_gpu *gpu;
  weir_status status = weir_gpu_begin(model, memory, &gpu);
  return status ? status
                : weir_gpu_end(gpu, call(gpu, function, tensors, num_tensors, 1,
                                         stream));
}

static weir_status wait_for_run(weir_gpu *gpu) {
  weir_status status = weir_gpu_enter(gpu);
  if (status)
    return status;
  status = weir_gpu_wait_for_device_run(gpu);
  weir_gpu_leave(gpu);
  uint32_t failed = take_failed_check(gpu);
  return status ? status : result(gpu, 0, failed);
}

weir_status weir_gpu_model_wait(const weir_gpu_model *model, void *memory) {
  weir_gpu *gpu;
  weir_status status = weir_gpu_begin(model, memory, &gpu);
  return status ? status : weir_gpu_end(gpu, wait_for_run(gpu));
}

void *weir_gpu_model_tensor(const weir_gpu_model *model, void *memory,
                            uint32_t function, uint32_t index) {
  weir_gpu *gpu = weir_gpu_alive(model, memory);
  const weir_model_info *info = model->model.info;
  if (!gpu || function >= info->num_functions ||
      index >= info->functions[function].num_inputs +
                   info->functions[function].num_outputs)
    return NULL;
  weir_gpu_lay_out(&info->functions[function], gpu->tensors, gpu->at);
  return gpu->at[index];
}
