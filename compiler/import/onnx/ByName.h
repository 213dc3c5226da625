// Nodes that are one to one with an op of the dialect.

#ifndef WEIR_COMPILER_IMPORT_ONNX_BYNAME_H
#define WEIR_COMPILER_IMPORT_ONNX_BYNAME_H

#include "compiler/import/onnx/Tracer.h"

namespace weir::onnx {

/// Builds the graph op that an op is one to one with.
mlir::LogicalResult buildByName(Node &node, llvm::StringRef target);
/// `values` broadcast by NumPy's rules to the one shape that they have in
/// common; an error at the node where there is none.
mlir::LogicalResult broadcastAll(Node &node,
                                 llvm::MutableArrayRef<mlir::Value> values);

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_BYNAME_H
