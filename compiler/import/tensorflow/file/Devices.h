// The devices that a graph's nodes are constrained to.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_FILE_DEVICES_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_FILE_DEVICES_H

#include "compiler/import/tensorflow/proto/graph.pb.h"

#include "mlir/IR/BuiltinOps.h"

namespace weir::tensorflow {

/// Writes the device of each node to the module (`weir.devices`): its own, or
/// that of a node with which it is colocated. `weir.colocated` has the nodes
/// that are colocated with one on a device of another type.
void constrain(mlir::ModuleOp module, const ::tensorflow::GraphDef &graph);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_FILE_DEVICES_H
