// Nodes that are one to one with an op of the dialect.

#ifndef WEIR_COMPILER_IMPORT_BYNAME_H
#define WEIR_COMPILER_IMPORT_BYNAME_H

#include "compiler/import/TracedNode.h"

namespace weir {

/// The op of that name, which takes as many operands as the node has; else an
/// error at the node.
mlir::FailureOr<mlir::RegisteredOperationName> findOp(TracedNode &node,
                                                      llvm::StringRef target);

/// Whether the op wants its operands broadcast to one shape.
bool broadcasts(mlir::RegisteredOperationName op,
                llvm::ArrayRef<mlir::Value> operands);
/// `values` broadcast by NumPy's rules to the one shape that they have in
/// common; an error at the node where there is none, or a value is null.
mlir::LogicalResult
broadcastOperands(TracedNode &node, llvm::MutableArrayRef<mlir::Value> values);

/// Builds the op, whose type follows from its operands, and gives its result.
mlir::LogicalResult buildOp(TracedNode &node, mlir::RegisteredOperationName op,
                            llvm::ArrayRef<mlir::Value> operands);

} // namespace weir

#endif // WEIR_COMPILER_IMPORT_BYNAME_H
