// Which GPU a context runs on, and which of the model's images is for it.

#include "runtime/cuda/state.h"
#include "runtime/libc.h"

enum { name_bytes = 96, log_bytes = 768 };

// The GPU's number from 0: the configuration's, or the environment's, or 0.
static weir_status wanted_device(weir_gpu *gpu, const weir_config *config,
                                 uint32_t *wanted) {
  *wanted = 0;
  if (config && config->device) {
    *wanted = config->device - 1;
    return WEIR_OK;
  }
  const char *text = secure_getenv("WEIR_GPU");
  if (!text || !*text)
    return WEIR_OK;
  for (const char *c = text; *c; ++c) {
    if (*c < '0' || *c > '9' || c - text > 5)
      return WEIR_GPU_FAIL(gpu, WEIR_ERR_DEVICE, "WEIR_GPU is '", text,
                           "', not the number of a GPU");
    *wanted = 10 * *wanted + (uint32_t)(*c - '0');
  }
  return WEIR_OK;
}

static int fits(const weir_gpu_image *image, uint32_t sm) {
  int exact = image->kind == WEIR_GPU_CUBIN || image->specific;
  return exact ? image->sm == sm : image->sm <= sm;
}

// Machine code is better than text, and text for the newest GPU the best.
static int better(const weir_gpu_image *a, const weir_gpu_image *b) {
  if (a->kind != b->kind)
    return a->kind == WEIR_GPU_CUBIN;
  if (a->sm != b->sm)
    return a->sm > b->sm;
  return a->specific && !b->specific;
}

// Names what each image is for, as many as there is room for, and the device.
static weir_status no_image(weir_gpu *gpu, const char *name, uint32_t sm) {
  enum { most = 8, each = 5 };
  const weir_gpu_info *info = gpu->model->gpu;
  const char *parts[most * each + 8];
  weir_gpu_number numbers[most], its;
  int n = 0;
  parts[n++] = "the model has code for ";
  for (uint32_t i = 0; i < info->num_images && i < most; ++i) {
    const weir_gpu_image *image = &info->images[i];
    int exact = image->kind == WEIR_GPU_CUBIN || image->specific;
    parts[n++] = i ? ", sm_" : "sm_";
    parts[n++] = weir_gpu_decimal(&numbers[i], image->sm);
    parts[n++] = image->specific ? "a" : "";
    parts[n++] = image->kind == WEIR_GPU_CUBIN ? " (cubin)" : " (ptx)";
    parts[n++] = exact ? "" : " and later";
  }
  parts[n++] = ", and the GPU '";
  parts[n++] = name;
  parts[n++] = "' is sm_";
  parts[n++] = weir_gpu_decimal(&its, sm);
  parts[n] = NULL;
  return weir_gpu_fail(gpu, WEIR_ERR_DEVICE, parts);
}

static weir_status load_image(weir_gpu *gpu, const weir_gpu_image *image) {
  char log[log_bytes] = "";
  int32_t options[] = {CU_JIT_ERROR_LOG_BUFFER_,
                       CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES_};
  void *values[] = {log, (void *)(uintptr_t)sizeof log};
  weir_cu_result result = gpu->cuda.cuModuleLoadDataEx(
      &gpu->module, image->data, 2, options, values);
  log[sizeof log - 1] = 0;
  return weir_gpu_check_call(gpu, result, "cuModuleLoadDataEx",
                             *log ? log : NULL);
}

static weir_status load_kernels(weir_gpu *gpu) {
  const weir_gpu_info *info = gpu->model->gpu;
  for (uint32_t i = 0; i < info->num_kernels; ++i) {
    const weir_gpu_kernel *kernel = &info->kernels[i];
    weir_status status =
        weir_gpu_check_call(gpu,
                            gpu->cuda.cuModuleGetFunction(
                                &gpu->kernels[i], gpu->module, kernel->name),
                            "cuModuleGetFunction", kernel->name);
    // More than 48 KB must be asked for.
    if (!status && kernel->shared_bytes > 48 << 10)
      status = weir_gpu_check_call(
          gpu,
          gpu->cuda.cuFuncSetAttribute(
              gpu->kernels[i], CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES_,
              (int32_t)kernel->shared_bytes),
          "cuFuncSetAttribute", kernel->name);
    if (!status && gpu->cuda.cuFuncLoad)
      status = weir_gpu_check_call(gpu, gpu->cuda.cuFuncLoad(gpu->kernels[i]),
                                   "cuFuncLoad", kernel->name);
    if (status)
      return status;
  }
  return WEIR_OK;
}

static weir_status find_device(weir_gpu *gpu, const weir_config *config,
                               const weir_gpu_image **image) {
  uint32_t wanted;
  int32_t count = 0, major = 0, minor = 0;
  weir_status status = wanted_device(gpu, config, &wanted);
  if (!status)
    status = WEIR_GPU_CALL(gpu, cuDeviceGetCount, &count);
  if (status)
    return status;
  if (wanted >= (uint32_t)count) {
    weir_gpu_number number, there;
    return WEIR_GPU_FAIL(gpu, WEIR_ERR_DEVICE, "there is no GPU number ",
                         weir_gpu_decimal(&number, wanted),
                         ", counted from 0: the driver has ",
                         weir_gpu_decimal(&there, (uint32_t)count));
  }
  if ((status = WEIR_GPU_CALL(gpu, cuDeviceGet, &gpu->device, (int32_t)wanted)))
    return status;
  char name[name_bytes] = "";
  if ((status = WEIR_GPU_CALL(gpu, cuDeviceGetName, name, (int32_t)sizeof name,
                              gpu->device)) ||
      (status = WEIR_GPU_CALL(gpu, cuDeviceGetAttribute, &major,
                              CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR_,
                              gpu->device)) ||
      (status = WEIR_GPU_CALL(gpu, cuDeviceGetAttribute, &minor,
                              CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR_,
                              gpu->device)))
    return status;
  name[sizeof name - 1] = 0;
  const weir_gpu_info *info = gpu->model->gpu;
  uint32_t sm = (uint32_t)(10 * major + minor);
  *image = NULL;
  for (uint32_t i = 0; i < info->num_images; ++i)
    if (fits(&info->images[i], sm) &&
        (!*image || better(&info->images[i], *image)))
      *image = &info->images[i];
  // A model without kernels only copies, and needs none.
  return *image || !info->num_kernels ? WEIR_OK : no_image(gpu, name, sm);
}

weir_status weir_gpu_load_code(weir_gpu *gpu, const weir_config *config) {
  const weir_gpu_image *image;
  weir_status status = find_device(gpu, config, &image);
  if (status)
    return status;
  weir_cu_context context;
  if ((status =
           WEIR_GPU_CALL(gpu, cuDevicePrimaryCtxRetain, &context, gpu->device)))
    return status;
  gpu->device_context = context;
  if ((status = WEIR_GPU_CALL(gpu, cuCtxPushCurrent_v2, context)))
    return status;
  gpu->entered = 1;
  if (image)
    status = load_image(gpu, image);
  return status ? status : load_kernels(gpu);
}
