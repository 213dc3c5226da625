// Writes a node that differs as a program of its own.

#ifndef WEIR_TOOLS_DIFF_REDUCE_H
#define WEIR_TOOLS_DIFF_REDUCE_H

#include "tools/diff/Judge.h"

namespace weir::diff {

/// Whether the node of a finding is a program of its own: both its ops and its
/// operands are known.
bool canReduce(const Model &model, const Finding &finding, const Side &a,
               const Side &b, const ReferenceRun &run);

/// Writes the node of a finding as a module with the function `main`, whose
/// inputs are the operands of the node. For `net.mlir` the operands of the side
/// that is wrong go to the folder `net.inputs`. The result of side B, if it is
/// not the reference, goes to `net.outputs`.
Status writeReduced(const Model &model, const Finding &finding, const Side &a,
                    const Side &b, const ReferenceRun &run,
                    llvm::StringRef path);

} // namespace weir::diff

#endif // WEIR_TOOLS_DIFF_REDUCE_H
