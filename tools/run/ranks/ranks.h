// The ranks of a model: threads of this process, or one rank in each process.
#ifndef WEIR_TOOLS_RUN_RANKS_RANKS_H
#define WEIR_TOOLS_RUN_RANKS_RANKS_H

#include "tools/run/execute.h"

/// Runs ranks as --comm says: as threads of the process, or as processes of
/// MPI. The joined model has the tensors of all ranks together. Its create
/// makes a context for each rank of this process, and its run has them run at
/// the same time. Outputs that ranks have whole must be equal in all bits.
/// There is one such model at a time, until the process ends.
extern const struct ranks weir_run_all_ranks;

#endif
