// Devices and their contexts.

#include "cuda.h"

#include <stdio.h>

int cuInit(uint32_t flags) {
  CALL;
  note("cuInit %u", flags);
  return number_of("WEIR_CUDA_DEVICES", 1) ? OK : NO_DEVICE;
}

int cuGetErrorName(int error, const char **name) {
  switch (error) {
  case OUT_OF_MEMORY:
    *name = "CUDA_ERROR_OUT_OF_MEMORY";
    return OK;
  case ILLEGAL_ADDRESS:
    *name = "CUDA_ERROR_ILLEGAL_ADDRESS";
    return OK;
  case INVALID_IMAGE:
    *name = "CUDA_ERROR_INVALID_IMAGE";
    return OK;
  case NOT_FOUND:
    *name = "CUDA_ERROR_NOT_FOUND";
    return OK;
  case UNKNOWN:
    *name = "CUDA_ERROR_UNKNOWN";
    return OK;
  }
  *name = NULL;
  return INVALID_VALUE;
}

int cuGetErrorString(int error, const char **text) {
  *text = error == OUT_OF_MEMORY ? "out of memory" : "refused by the stand-in";
  return OK;
}

int cuDriverGetVersion(int *version) {
  CALL;
  *version = 12040;
  return OK;
}

int cuDeviceGetCount(int *count) {
  CALL;
  *count = (int)number_of("WEIR_CUDA_DEVICES", 1);
  return OK;
}

int cuDeviceGet(int *device, int ordinal) {
  CALL;
  note("cuDeviceGet %d", ordinal);
  *device = ordinal;
  return ordinal < number_of("WEIR_CUDA_DEVICES", 1) ? OK : INVALID_DEVICE;
}

int cuDeviceGetName(char *name, int bytes, int device) {
  CALL;
  snprintf(name, (size_t)bytes, "Stand-in %d", device);
  return OK;
}

int cuDeviceGetAttribute(int *value, int attribute, int device) {
  (void)device;
  CALL;
  long sm = number_of("WEIR_CUDA_SM", 90);
  *value = attribute == 75   ? (int)(sm / 10)
           : attribute == 76 ? (int)(sm % 10)
                             : 0;
  return OK;
}

int cuDevicePrimaryCtxRetain(void **context, int device) {
  CALL;
  note("cuDevicePrimaryCtxRetain %d", device);
  count_objects(1);
  *context = (void *)(intptr_t)(16 * (device + 1));
  return OK;
}

int cuDevicePrimaryCtxRelease_v2(int device) {
  CALL;
  note("cuDevicePrimaryCtxRelease %d", device);
  count_objects(-1);
  return OK;
}

int cuCtxPushCurrent_v2(void *context) {
  CALL;
  if (!context)
    return INVALID_CONTEXT;
  ++current;
  return OK;
}

int cuCtxPopCurrent_v2(void **context) {
  CALL_IN_CONTEXT;
  *context = (void *)16;
  --current;
  return OK;
}
