// Counts the calls of the heap in warm runs of a rank: those of the library, of the
// transport and of MPI itself.

#include "sum.h"

#include "runtime/comm/mpi.h"

#include <stdatomic.h>
#include <stdio.h>

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t number, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);
void *__libc_memalign(size_t align, size_t bytes);

static _Atomic int counts, calls;

// These are before those of the C library for all parts of the process.
void *malloc(size_t bytes) {
  calls += counts;
  return __libc_malloc(bytes);
}
void *calloc(size_t number, size_t bytes) {
  calls += counts;
  return __libc_calloc(number, bytes);
}
void *realloc(void *memory, size_t bytes) {
  calls += counts;
  return __libc_realloc(memory, bytes);
}
void *aligned_alloc(size_t align, size_t bytes) {
  calls += counts;
  return __libc_memalign(align, bytes);
}
int posix_memalign(void **memory, size_t align, size_t bytes) {
  calls += counts;
  *memory = __libc_memalign(align, bytes);
  return *memory ? 0 : 12;
}

int main(void) {
  int provided;
  MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
  weir_comm comm;
  weir_comm_mpi_create(MPI_COMM_WORLD, 10000, &comm);
  weir_config config = WEIR_CONFIG_INIT;
  char message[256] = "";
  config.comm = &comm;
  config.message = message;
  config.message_bytes = sizeof message;
  sum_ctx *context;
  weir_status status = sum_create(NULL, &config, &context);
  if (status) {
    printf("create: %d: %s\n", status, message);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  static float x[SUM_X_ELEMENTS], y[SUM_Y_ELEMENTS], s[SUM_S_ELEMENTS];
  for (int i = 0; i < 200 && !status; ++i) {
    counts = i >= 100;
    status = sum_run(context, x, y, s);
  }
  counts = 0;
  int own[2] = {(int)status, calls}, worst[2];
  MPI_Reduce(own, worst, 2, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
  if (!comm.rank)
    printf("%d ranks: status %d, %d calls\n", comm.size, worst[0], worst[1]);
  sum_destroy(context);
  weir_comm_mpi_free(&comm);
  MPI_Finalize();
  return 0;
}
