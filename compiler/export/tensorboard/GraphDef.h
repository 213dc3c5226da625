// A module as a GraphDef, for tools that show graphs.

#ifndef WEIR_COMPILER_EXPORT_TENSORBOARD_GRAPHDEF_H
#define WEIR_COMPILER_EXPORT_TENSORBOARD_GRAPHDEF_H

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace weir {

/// The bytes of a GraphDef with a node for each op, argument and result. Ops
/// have their names in the graph dialect, which TensorFlow cannot run. The
/// nodes in regions have the scope of their op.
std::string graphDefOf(mlir::ModuleOp module);

} // namespace weir

#endif // WEIR_COMPILER_EXPORT_TENSORBOARD_GRAPHDEF_H
