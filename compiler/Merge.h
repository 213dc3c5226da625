// Makes one checkpoint of what several processes saved.

#ifndef WEIR_COMPILER_MERGE_H
#define WEIR_COMPILER_MERGE_H

#include "compiler/Diagnostics.h"

namespace weir {

/// Writes the checkpoint `to` with all that `from` has, which names one
/// checkpoint or its parts (`part-?????-of-00002`). The slices of a tensor that
/// the parts have become those of one tensor. All bytes are checked, and `to`
/// must not be there.
Status mergeCheckpoint(mlir::MLIRContext *context, const std::string &from,
                       const std::string &to);

} // namespace weir

#endif // WEIR_COMPILER_MERGE_H
