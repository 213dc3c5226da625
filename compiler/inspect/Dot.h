// Prints the graph of a module in the DOT language of Graphviz.

#ifndef WEIR_COMPILER_INSPECT_DOT_H
#define WEIR_COMPILER_INSPECT_DOT_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"

namespace weir {

/// A cluster for each function, a node for each op, and an edge for each use of
/// a tensor, with the tensor's type.
void printDot(mlir::ModuleOp module, llvm::raw_ostream &os);

} // namespace weir

#endif // WEIR_COMPILER_INSPECT_DOT_H
