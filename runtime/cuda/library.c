// Opens a library that a model's calls are for, where the model runs.

#include "runtime/cuda/state.h"
#include "runtime/libc.h"

weir_status weir_gpu_open(weir_gpu *gpu, const weir_gpu_library *wanted,
                          void **library) {
  const char *const *places = wanted->places;
  const char *given = secure_getenv(wanted->variable);
  if (given && *given) {
    *library = dlopen(given, RTLD_NOW_);
    return *library
               ? WEIR_OK
               : WEIR_GPU_FAIL(gpu, WEIR_ERR_DRIVER, wanted->use,
                               ", which is not on this machine: looked "
                               "for ",
                               given, ", which ", wanted->variable, " names");
  }
  *library = NULL;
  for (int i = 0; i < WEIR_GPU_PLACES && !*library; ++i)
    *library = dlopen(places[i], RTLD_NOW_);
  return *library
             ? WEIR_OK
             : WEIR_GPU_FAIL(gpu, WEIR_ERR_DRIVER, wanted->use,
                             ", which is not on this machine: looked for ",
                             places[0], ", ", places[1], ", ", places[2], ", ",
                             places[3], "; ", wanted->variable, " can name it");
}
