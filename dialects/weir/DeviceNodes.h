// The nodes of a model, to which it gives devices.

#ifndef WEIR_DIALECTS_WEIR_DEVICENODES_H
#define WEIR_DIALECTS_WEIR_DEVICENODES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"

namespace weir {

/// The names of nodes in a location, the innermost first.
llvm::SmallVector<mlir::StringAttr> nodesOf(mlir::Location location);

/// Reports the error that a constraint names no device.
mlir::LogicalResult namesNone(mlir::Location at, mlir::StringAttr device);

} // namespace weir

#endif // WEIR_DIALECTS_WEIR_DEVICENODES_H
