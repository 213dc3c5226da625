// `weir diff`: compares a compiled model node by node.

#ifndef WEIR_TOOLS_DIFF_COMMAND_H
#define WEIR_TOOLS_DIFF_COMMAND_H

#include "compiler/Options.h"

namespace weir {

/// Compares the two sides that the options name, and prints the nodes that
/// differ. The status is `badInput` if a node differs.
Status runDiff(mlir::MLIRContext *context, const Options &options,
               llvm::raw_ostream &os);

} // namespace weir

#endif // WEIR_TOOLS_DIFF_COMMAND_H
