// Finds the CUDA driver where the model runs, and says what its failures mean.

#include "runtime/cuda/events.h"
#include "runtime/cuda/state.h"
#include "runtime/libc.h"

// By the loader's own search first, then where distributions, WSL and
// containers put it.
static const char *const places[] = {
    "libcuda.so.1",
    WEIR_LIB_FOLDER "libcuda.so.1",
    "/usr/lib64/libcuda.so.1",
    "/usr/lib/wsl/lib/libcuda.so.1",
    "/run/opengl-driver/lib/libcuda.so.1",
    "/usr/local/nvidia/lib64/libcuda.so.1",
};
enum { num_places = sizeof places / sizeof *places };

weir_status weir_gpu_fail(weir_gpu *gpu, weir_status status,
                          const char *const *parts) {
  weir_join(gpu->text, sizeof gpu->text, parts);
  return gpu->status = status;
}

static const char *spell(weir_gpu_number *number, uint64_t value,
                         const char *unit, size_t unit_bytes) {
  char *c = number->text + sizeof number->text - unit_bytes;
  memcpy(c, unit, unit_bytes);
  do
    *--c = (char)('0' + value % 10);
  while (value /= 10);
  return c;
}

const char *weir_gpu_decimal(weir_gpu_number *number, uint64_t value) {
  return spell(number, value, "", 1);
}

const char *weir_gpu_in_bytes(weir_gpu_number *number, uint64_t value) {
  return spell(number, value, " bytes", sizeof " bytes");
}

weir_status weir_gpu_check_call(weir_gpu *gpu, weir_cu_result result,
                                const char *call, const char *what) {
  if (!result)
    return WEIR_OK;
  const char *name = NULL, *text = NULL;
  weir_gpu_number number;
  if (gpu->cuda.cuGetErrorName(result, &name) || !name)
    name = weir_gpu_decimal(&number, (uint32_t)result);
  if (gpu->cuda.cuGetErrorString(result, &text) || !text)
    text = "unknown to this driver";
  return WEIR_GPU_FAIL(
      gpu, result == CUDA_ERROR_OUT_OF_MEMORY_ ? WEIR_ERR_MEMORY : WEIR_ERR_GPU,
      call, " failed", what ? " for " : "", what ? what : "", ": ", name, " (",
      text, ")");
}

static weir_status not_found(weir_gpu *gpu, const char *given,
                             const char *reason) {
  if (!reason)
    reason = "no reason given";
  if (given)
    return WEIR_GPU_FAIL(gpu, WEIR_ERR_DRIVER,
                         "this model runs on an NVIDIA GPU, and the driver's "
                         "library that WEIR_LIBCUDA names cannot be loaded: ",
                         reason);
  return WEIR_GPU_FAIL(
      gpu, WEIR_ERR_DRIVER,
      "this model runs on an NVIDIA GPU, and the driver's library libcuda.so.1 "
      "is not on this machine: looked for ",
      places[0], " in the loader's path, ", places[1], ", ", places[2], ", ",
      places[3], ", ", places[4], ", ", places[5],
      "; WEIR_LIBCUDA can name it (", reason, ")");
}

static weir_status open_library(weir_gpu *gpu, void **library) {
  const char *given = secure_getenv("WEIR_LIBCUDA");
  if (given && *given) {
    *library = dlopen(given, RTLD_NOW_);
    return *library ? WEIR_OK : not_found(gpu, given, dlerror());
  }
  *library = NULL;
  for (int i = 0; i < num_places && !*library; ++i)
    *library = dlopen(places[i], RTLD_NOW_);
  if (*library)
    return WEIR_OK;
  // Why the first was not found says most.
  *library = dlopen(places[0], RTLD_NOW_);
  return *library ? WEIR_OK : not_found(gpu, NULL, dlerror());
}

weir_status weir_gpu_load_driver(weir_gpu *gpu) {
  void *library;
  weir_status status = open_library(gpu, &library);
  if (status)
    return status;
  // The library stays for as long as the process: drivers cannot be unloaded.
#define WEIR_CUDA_FIND(name, parameters)                                       \
  *(void **)&gpu->cuda.name = dlsym(library, #name);                           \
  if (!gpu->cuda.name)                                                         \
    return WEIR_GPU_FAIL(gpu, WEIR_ERR_DRIVER,                                 \
                         "the NVIDIA driver is too old for this model, which " \
                         "needs one of CUDA 11.4 or later: it has no " #name);
  WEIR_CUDA_FUNCTIONS(WEIR_CUDA_FIND)
#undef WEIR_CUDA_FIND
  *(void **)&gpu->cuda.cuFuncLoad = dlsym(library, "cuFuncLoad");
  if ((status = weir_gpu_profile_begin(gpu, library)))
    return status;
  weir_cu_result result = gpu->cuda.cuInit(0);
  if (result == CUDA_ERROR_NO_DEVICE_)
    return WEIR_GPU_FAIL(gpu, WEIR_ERR_DEVICE,
                         "this model runs on an NVIDIA GPU, and the driver "
                         "finds none on this machine");
  if (result == CUDA_ERROR_STUB_LIBRARY_)
    return WEIR_GPU_FAIL(gpu, WEIR_ERR_DRIVER,
                         "the libcuda.so.1 that was found is a stub to link "
                         "with, not a driver");
  return weir_gpu_check_call(gpu, result, "cuInit", NULL);
}

const char *weir_gpu_status_text(weir_status status) {
  if (status == WEIR_ERR_DRIVER)
    return "the driver of the NVIDIA GPU is missing or too old";
  if (status == WEIR_ERR_DEVICE)
    return "there is no NVIDIA GPU that the code runs on";
  if (status == WEIR_ERR_GPU)
    return "the NVIDIA GPU or its driver failed";
  return weir_status_text(status);
}
