// The devices that nodes of a model are constrained to.

#ifndef WEIR_PASSES_PLACE_DEVICES_H
#define WEIR_PASSES_PLACE_DEVICES_H

#include "mlir/IR/BuiltinOps.h"

namespace weir {

/// The nodes that a location names, the innermost first.
llvm::SmallVector<mlir::StringAttr> nodesOf(mlir::Location location);

/// The error that a constraint names no device.
mlir::LogicalResult namesNone(mlir::Location at, mlir::StringAttr device);

/// Says for each device but the processor which node of the module is
/// constrained to it, where a processor computes all; an error where one names
/// none.
mlir::LogicalResult explainDevices(mlir::ModuleOp module);

} // namespace weir

#endif // WEIR_PASSES_PLACE_DEVICES_H
