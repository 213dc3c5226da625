// MPI, which weir-run opens when it is asked for.
#ifndef WEIR_TOOLS_RUN_RANKS_MPI_H
#define WEIR_TOOLS_RUN_RANKS_MPI_H

#include "runtime/weir.h"

/// The table of this process, or null with a sentence in `error`.
const weir_comm *mpi_open(int timeout_ms, char *error, size_t size);
/// Ends MPI.
void mpi_close(void);

#endif
