// What a model's entries do with the GPU: see gpu.h.

#include "runtime/cuda/events.h"
#include "runtime/cuda/state.h"
#include "runtime/libc.h"

static int32_t refuse(weir_gpu *gpu, const char *text) {
  WEIR_GPU_FAIL(gpu, WEIR_ERR_GPU, text);
  return WEIR_GPU_FAILED;
}

static int32_t answer(weir_gpu_stream *stream, weir_cu_result result,
                      const char *call, const char *what) {
  return weir_gpu_check_call(stream->gpu, result, call, what) ? WEIR_GPU_FAILED
                                                              : 0;
}

int32_t weir_gpu_launch(weir_gpu_stream *stream, uint32_t kernel, uint32_t gx,
                        uint32_t gy, uint32_t gz, uint32_t bx, uint32_t by,
                        uint32_t bz, uint32_t shared_bytes, void **args,
                        uint32_t num_args) {
  weir_gpu *gpu = stream->gpu;
  const weir_gpu_info *info = gpu->model->gpu;
  (void)num_args;
  if (kernel >= info->num_kernels)
    return refuse(gpu, "the model launches a kernel that it does not have");
  if (shared_bytes > info->kernels[kernel].shared_bytes)
    return refuse(gpu, "the model launches a kernel with more shared memory "
                       "than its table says");
  if (!gx || !gy || !gz)
    return 0;
  return answer(stream,
                gpu->cuda.cuLaunchKernel(gpu->kernels[kernel], gx, gy, gz, bx,
                                         by, bz, shared_bytes, stream->stream,
                                         args, NULL),
                "cuLaunchKernel", info->kernels[kernel].name);
}

int32_t weir_gpu_copy(weir_gpu_stream *stream, void *target, const void *source,
                      uint64_t bytes) {
  if (!bytes)
    return 0;
  return answer(stream,
                stream->gpu->cuda.cuMemcpyDtoDAsync_v2((weir_cu_address)target,
                                                       (weir_cu_address)source,
                                                       bytes, stream->stream),
                "cuMemcpyDtoDAsync_v2", NULL);
}

int32_t weir_gpu_fill(weir_gpu_stream *stream, void *target, int32_t value,
                      uint64_t bytes) {
  uint32_t word = (uint32_t)value;
  weir_cu_address at = (weir_cu_address)target;
  if (!bytes)
    return 0;
  if (word == (word & 0xff) * 0x01010101u)
    return answer(stream,
                  stream->gpu->cuda.cuMemsetD8Async(at, (unsigned char)word,
                                                    bytes, stream->stream),
                  "cuMemsetD8Async", NULL);
  if (at % 4 || bytes % 4)
    return refuse(stream->gpu, "the model fills memory that is not of words");
  return answer(
      stream,
      stream->gpu->cuda.cuMemsetD32Async(at, word, bytes / 4, stream->stream),
      "cuMemsetD32Async", NULL);
}

// Whether the host's memory has that many bytes there.
static int32_t is_on_host(const weir_gpu *gpu, uint64_t at, uint64_t bytes) {
  uint64_t size = gpu->model->host_bytes;
  return at <= size && bytes <= size - at;
}

int32_t weir_gpu_to_host(weir_gpu_stream *stream, uint64_t at,
                         const void *source, uint64_t bytes) {
  weir_gpu *gpu = stream->gpu;
  if (!is_on_host(gpu, at, bytes))
    return refuse(gpu, "the model copies beyond the host's memory");
  return answer(stream,
                gpu->cuda.cuMemcpyDtoHAsync_v2(gpu->host.memory + at,
                                               (weir_cu_address)source, bytes,
                                               stream->stream),
                "cuMemcpyDtoHAsync_v2", NULL);
}

int32_t weir_gpu_from_host(weir_gpu_stream *stream, void *target, uint64_t at,
                           uint64_t bytes) {
  weir_gpu *gpu = stream->gpu;
  if (!is_on_host(gpu, at, bytes))
    return refuse(gpu, "the model copies from beyond the host's memory");
  return answer(stream,
                gpu->cuda.cuMemcpyHtoDAsync_v2((weir_cu_address)target,
                                               gpu->host.memory + at, bytes,
                                               stream->stream),
                "cuMemcpyHtoDAsync_v2", NULL);
}

int32_t weir_gpu_on_host(weir_gpu_stream *stream, weir_gpu_host_code *code) {
  weir_gpu *gpu = stream->gpu;
  return answer(stream,
                gpu->cuda.cuLaunchHostFunc(stream->stream, code, &gpu->host),
                "cuLaunchHostFunc", NULL);
}

// Through memory that the device reaches: the copy then waits for nothing else.
static int32_t read_back(weir_gpu_stream *stream, const void *source,
                         uint64_t bytes) {
  weir_gpu *gpu = stream->gpu;
  if (answer(stream,
             gpu->cuda.cuMemcpyDtoHAsync_v2(
                 gpu->pinned, (weir_cu_address)source, bytes, stream->stream),
             "cuMemcpyDtoHAsync_v2", NULL))
    return WEIR_GPU_FAILED;
  return answer(stream, gpu->cuda.cuStreamSynchronize(stream->stream),
                "cuStreamSynchronize", NULL);
}

int32_t weir_gpu_read(weir_gpu_stream *stream, void *host_target,
                      const void *device_source, uint64_t bytes) {
  weir_gpu_profile_skip(stream->gpu);
  if (stream->capturing)
    return refuse(stream->gpu, "the model reads data back in a function that "
                               "is said not to");
  if (bytes > WEIR_GPU_READ_BYTES)
    return refuse(stream->gpu, "the model reads too much back at once");
  if (read_back(stream, device_source, bytes))
    return WEIR_GPU_FAILED;
  memcpy(host_target, stream->gpu->pinned, bytes);
  return 0;
}

int32_t weir_gpu_check(weir_gpu_stream *stream, const void *passed,
                       uint32_t number) {
  weir_gpu *gpu = stream->gpu;
  weir_gpu_profile_skip(gpu);
  if (!number || number > gpu->model->model.num_checks)
    return refuse(gpu, "the model makes a check that it does not have");
  if (stream->capturing)
    return answer(stream,
                  gpu->cuda.cuMemcpyDtoHAsync_v2(&gpu->passed[number - 1],
                                                 (weir_cu_address)passed, 1,
                                                 stream->stream),
                  "cuMemcpyDtoHAsync_v2", NULL);
  // The same check may come again, in a loop.
  if (read_back(stream, passed, 1))
    return WEIR_GPU_FAILED;
  if (!*gpu->pinned && !stream->failed)
    stream->failed = number;
  return 0;
}
