// The driver functions that cuDNN needs for plans and cuda/ does not have: code
// is loaded and never runs.
#include <stddef.h>

enum { NOT_SUPPORTED = 801 };

#define REFUSE(name)                                                           \
  int name(void) { return NOT_SUPPORTED; }
REFUSE(cuCtxGetCurrent)
REFUSE(cuCtxGetLimit)
REFUSE(cuCtxPopCurrent)
REFUSE(cuCtxPushCurrent)
REFUSE(cuGetExportTable)
REFUSE(cuLaunchCooperativeKernel)
REFUSE(cuLaunchKernelEx)
REFUSE(cuLibraryLoadFromFile)
REFUSE(cuLinkAddData)
REFUSE(cuLinkComplete)
REFUSE(cuLinkCreate)
REFUSE(cuLinkDestroy)
REFUSE(cuStreamGetCtx)

static int object;

int cuLibraryLoadData(void **library) {
  *library = &object;
  return 0;
}

int cuLibraryUnload(void *library) {
  (void)library;
  return 0;
}

int cuLibraryGetKernel(void **kernel) {
  *kernel = &object;
  return 0;
}

int cuKernelSetAttribute(int attribute) {
  (void)attribute;
  return 0;
}

int cuKernelGetAttribute(int *value) {
  *value = 0;
  return 0;
}

int cuOccupancyMaxPotentialClusterSize(int *size) {
  *size = 8;
  return 0;
}
