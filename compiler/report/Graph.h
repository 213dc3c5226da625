// The graph of a compilation, for the report.

#ifndef WEIR_COMPILER_REPORT_GRAPH_H
#define WEIR_COMPILER_REPORT_GRAPH_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/JSON.h"

namespace weir {

/// The functions of a module of stage `fuse` with their nodes. The nodes of a
/// group have its number: the groups count in the order of a walk.
llvm::json::Array describeGraph(mlir::ModuleOp module);

/// The full name of the node that a location is of: the names of the calls
/// around it come first, with slashes.
std::string pathOf(mlir::Location location);

} // namespace weir

#endif // WEIR_COMPILER_REPORT_GRAPH_H
