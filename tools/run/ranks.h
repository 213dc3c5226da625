// The ranks of a model as threads of this process.
#ifndef WEIR_TOOLS_RUN_RANKS_H
#define WEIR_TOOLS_RUN_RANKS_H

#include "runtime/comm/info.h"
#include "runtime/weir.h"

/// A model of one rank that stands for all ranks of `info`: its tensors are
/// those of all together. Its create makes a context for each rank, and its run
/// has all ranks run at the same time. Outputs that ranks have whole must be
/// equal in all bits. Null with a sentence in `error` where memory ends. There
/// is one such model at a time, until the process ends.
const weir_model_info *ranks_join(const weir_model_info *info,
                                  const weir_mesh_info *mesh, int ranks,
                                  int timeout_ms, char *error, size_t size);

#endif
