// Reads the devices to which the nodes of a model are constrained.

#ifndef WEIR_PASSES_PLACE_DEVICES_H
#define WEIR_PASSES_PLACE_DEVICES_H

#include "mlir/IR/BuiltinOps.h"

namespace weir::place {

/// For a CPU target, remarks which node is constrained to each other device, as
/// the CPU computes it anyway. An error if a constraint names no device.
mlir::LogicalResult explainDevices(mlir::ModuleOp module);

} // namespace weir::place

#endif // WEIR_PASSES_PLACE_DEVICES_H
