// The time of an all-reduce in a compiled library and in MPI, in turns: from
// one buffer to another, and in place between the two copies of a library,
// whose tensor is in its arena. all_reduce.py compiles and runs it.

#include "sum.h"

#include "runtime/comm/mpi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b) {
  double difference = *(const double *)a - *(const double *)b;
  return (difference > 0) - (difference < 0);
}

static double median(double *times, int count) {
  qsort(times, (size_t)count, sizeof *times, compare);
  return times[count / 2] * 1e6;
}

int main(int argc, char **argv) {
  enum { WARM = 20 };
  int rounds = argc > 1 ? atoi(argv[1]) : 1000;
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  weir_comm comm;
  weir_comm_mpi_create(MPI_COMM_WORLD, 10000, &comm);
  weir_config config = WEIR_CONFIG_INIT;
  char message[256] = "";
  config.comm = &comm;
  config.message = message;
  config.message_bytes = sizeof message;
  sum_ctx *context;
  if (sum_create(NULL, &config, &context)) {
    fprintf(stderr, "create: %s\n", message);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  static float x[SUM_X_ELEMENTS], s[SUM_S_ELEMENTS], direct[SUM_S_ELEMENTS],
      arena[SUM_S_ELEMENTS];
  for (int i = 0; i < SUM_X_ELEMENTS; ++i)
    x[i] = (float)((i + comm.rank) % 7);
  double *own = calloc((size_t)rounds * 3, sizeof *own), *raw = own + rounds,
         *copied = raw + rounds;
  if (!own)
    MPI_Abort(MPI_COMM_WORLD, 1);
  for (int i = -WARM; i < rounds; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    if (sum_run(context, x, s)) {
      fprintf(stderr, "run: %s\n", message);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
    double middle = MPI_Wtime();
    MPI_Barrier(MPI_COMM_WORLD);
    double again = MPI_Wtime();
    MPI_Allreduce(x, direct, SUM_S_ELEMENTS, MPI_FLOAT, MPI_SUM,
                  MPI_COMM_WORLD);
    double end = MPI_Wtime();
    MPI_Barrier(MPI_COMM_WORLD);
    double last = MPI_Wtime();
    memcpy(arena, x, sizeof arena);
    MPI_Allreduce(MPI_IN_PLACE, arena, SUM_S_ELEMENTS, MPI_FLOAT, MPI_SUM,
                  MPI_COMM_WORLD);
    memcpy(direct, arena, sizeof arena);
    double after = MPI_Wtime();
    if (i < 0)
      continue;
    copied[i] = after - last;
    own[i] = middle - begin;
    raw[i] = end - again;
  }
  int differ = 0;
  for (int i = 0; i < SUM_S_ELEMENTS; ++i)
    differ += s[i] != direct[i];
  double mine[3] = {median(own, rounds), median(raw, rounds),
                    median(copied, rounds)};
  double worst[3];
  MPI_Reduce(mine, worst, 3, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (!comm.rank)
    printf("%ld %.3f %.3f %.3f %d\n", (long)sizeof s, worst[0], worst[1],
           worst[2], differ);
  free(own);
  sum_destroy(context);
  weir_comm_mpi_free(&comm);
  MPI_Finalize();
  return 0;
}
