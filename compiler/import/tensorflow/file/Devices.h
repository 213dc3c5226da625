// The devices that a graph's nodes are constrained to.

#ifndef WEIR_COMPILER_IMPORT_TENSORFLOW_FILE_DEVICES_H
#define WEIR_COMPILER_IMPORT_TENSORFLOW_FILE_DEVICES_H

#include "compiler/import/tensorflow/proto/graph.pb.h"

#include "mlir/IR/BuiltinOps.h"

namespace weir::tensorflow {

/// Writes on the module which device each node is for (`weir.devices`): its
/// own, or that of a node that it is colocated with; and which nodes are so
/// with one on a device of another kind than their own (`weir.colocated`).
void constrain(mlir::ModuleOp module, const ::tensorflow::GraphDef &graph);

} // namespace weir::tensorflow

#endif // WEIR_COMPILER_IMPORT_TENSORFLOW_FILE_DEVICES_H
