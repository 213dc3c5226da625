/* Ranks that are processes of MPI: a weir_comm on a communicator. Compile mpi.c
 * by the mpicc of the MPI that the program uses. */
#ifndef WEIR_COMM_MPI_H
#define WEIR_COMM_MPI_H

#include "runtime/weir.h"

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Fills `out` for this process: its rank and size are those of `communicator`,
 * which is duplicated. MPI is initialized with MPI_THREAD_FUNNELED at least,
 * and all calls of the context come from the thread that initialized it.
 * timeout_ms is that of the table. A context has a table of its own. MPI's
 * error code. All processes of the communicator call it together. */
int weir_comm_mpi_create(MPI_Comm communicator, int timeout_ms, weir_comm *out);
/* Frees it, after the context and before MPI_Finalize. Do not call it after
 * WEIR_ERR_PEER: a transfer may still be in progress, so MPI_Abort ends the
 * job. */
void weir_comm_mpi_free(weir_comm *comm);

#ifdef __cplusplus
}
#endif

#endif
