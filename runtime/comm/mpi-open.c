// What weir-run --comm=mpi opens: MPI for a program that is not linked with it.

#include "runtime/comm/mpi.h"

// The table of this process, or null where MPI cannot be initialized.
const weir_comm *weir_comm_open(int timeout_ms);
// Ends MPI.
void weir_comm_close(void);

static weir_comm table;

const weir_comm *weir_comm_open(int timeout_ms) {
  int provided = 0;
  if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) !=
          MPI_SUCCESS ||
      weir_comm_mpi_create(MPI_COMM_WORLD, timeout_ms, &table) != MPI_SUCCESS)
    return NULL;
  return &table;
}

void weir_comm_close(void) {
  weir_comm_mpi_free(&table);
  MPI_Finalize();
}
