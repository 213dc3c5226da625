// A rank that trains digits under smpirun: smpi IMAGES LABELS STEPS CHECKPOINT.
// The files have the rows of all ranks. All save one checkpoint, and each rank
// writes its own filters and weights to CHECKPOINT-RANK.

#include "digits.h"

#include "runtime/comm/mpi.h"

#include <stdio.h>
#include <stdlib.h>

static float image[DIGITS_TRAIN_STEP_IMAGE_ELEMENTS];
static int32_t labels[DIGITS_TRAIN_STEP_LABELS_ELEMENTS];

// Reads part number `part` of a file, which is as long as the array.
static void read_part(const char *path, long part, void *to, size_t bytes) {
  FILE *file = fopen(path, "rb");
  if (!file || fseek(file, part * (long)bytes, SEEK_SET) ||
      fread(to, bytes, 1, file) != 1) {
    fprintf(stderr, "cannot read part %ld of %s\n", part, path);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  fclose(file);
}

static weir_status write_variables(digits_ctx *context, const char *checkpoint,
                                   int rank) {
  char path[4096];
  snprintf(path, sizeof path, "%s-%d", checkpoint, rank);
  FILE *file = fopen(path, "wb");
  if (!file)
    return WEIR_ERR_IO;
  size_t count = fwrite(digits_var_layer1_filters(context), sizeof(float),
                        DIGITS_VAR_LAYER1_FILTERS_ELEMENTS, file) +
                 fwrite(digits_var_dense_weights(context), sizeof(float),
                        DIGITS_VAR_DENSE_WEIGHTS_ELEMENTS, file) +
                 fwrite(digits_var_dense_weights_Adam(context), sizeof(float),
                        DIGITS_VAR_DENSE_WEIGHTS_ADAM_ELEMENTS, file);
  size_t all = DIGITS_VAR_LAYER1_FILTERS_ELEMENTS +
               DIGITS_VAR_DENSE_WEIGHTS_ELEMENTS +
               DIGITS_VAR_DENSE_WEIGHTS_ADAM_ELEMENTS;
  return fclose(file) || count != all ? WEIR_ERR_IO : WEIR_OK;
}

int main(int argc, char **argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  weir_comm comm;
  weir_comm_mpi_create(MPI_COMM_WORLD, 60000, &comm);
  weir_config config = WEIR_CONFIG_INIT;
  char message[256] = "";
  config.comm = &comm;
  config.message = message;
  config.message_bytes = sizeof message;
  digits_ctx *context;
  weir_status status = digits_create(NULL, &config, &context);
  if (!status)
    status = digits_init(context);
  double begin = MPI_Wtime();
  int steps = atoi(argv[3]);
  float loss = 0;
  for (int i = 0; i < steps && !status; ++i) {
    long part = (long)i * comm.size + comm.rank;
    read_part(argv[1], part, image, sizeof image);
    read_part(argv[2], part, labels, sizeof labels);
    status = digits_train_step(context, image, labels, &loss);
  }
  double step = (MPI_Wtime() - begin) / steps;
  if (!status)
    status = digits_save(context, argv[4]);
  if (!status)
    status = write_variables(context, argv[4], comm.rank);
  if (status) {
    fprintf(stderr, "rank %d: status %d: %s\n", comm.rank, (int)status,
            message);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  if (!comm.rank)
    printf("%d ranks, simulated: %.3f ms of messages for each step\n",
           comm.size, step * 1e3);
  digits_destroy(context);
  weir_comm_mpi_free(&comm);
  MPI_Finalize();
  return 0;
}
