// MPI, which weir-run opens when it is asked for.

#define _POSIX_C_SOURCE 200809L
#include "tools/run/ranks/mpi.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *handle;

/// The library in the folder `lib` beside the folder of this program.
static void usual_path(char *path, size_t size) {
  ssize_t length = readlink("/proc/self/exe", path, size - 1);
  path[length > 0 ? length : 0] = 0;
  for (int up = 0; up < 2; ++up)
    if (strrchr(path, '/'))
      *strrchr(path, '/') = 0;
  size_t end = strlen(path);
  snprintf(path + end, size - end, "/lib/libweir_mpi.so");
}

const weir_comm *mpi_open(int timeout_ms, char *error, size_t size) {
  const char *file = getenv("WEIR_LIBMPI");
  char usual[4096];
  usual_path(usual, sizeof usual);
  // Open MPI opens parts of itself, which need its symbols.
  handle = dlopen(file ? file : usual, RTLD_NOW | RTLD_GLOBAL);
  const weir_comm *(*open)(int) = NULL;
  if (handle)
    *(void **)&open = dlsym(handle, "weir_comm_open");
  if (!open) {
    snprintf(error, size,
             "--comm=mpi: %.600s; a build of weir with mpicc makes it, and "
             "WEIR_LIBMPI names another file",
             dlerror());
    return NULL;
  }
  const weir_comm *comm = open(timeout_ms);
  if (!comm)
    snprintf(error, size, "--comm=mpi: MPI could not be initialized");
  return comm;
}

void mpi_close(void) {
  void (*close)(void) = NULL;
  *(void **)&close = dlsym(handle, "weir_comm_close");
  if (close)
    close();
}
