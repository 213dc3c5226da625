// Tensors split into sequences, and sequences joined.

#ifndef WEIR_COMPILER_IMPORT_ONNX_CONTROL_PARTS_H
#define WEIR_COMPILER_IMPORT_ONNX_CONTROL_PARTS_H

#include "compiler/import/onnx/control/Sequence.h"

namespace weir::onnx {

/// Nodes that split a tensor into a sequence, or join one.
mlir::LogicalResult importSplitToSequence(Node &node);
mlir::LogicalResult importConcatFromSequence(Node &node);

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_CONTROL_PARTS_H
