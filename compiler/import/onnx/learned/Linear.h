// Linear models.

#ifndef WEIR_COMPILER_IMPORT_ONNX_LEARNED_LINEAR_H
#define WEIR_COMPILER_IMPORT_ONNX_LEARNED_LINEAR_H

#include "compiler/import/onnx/learned/Learned.h"

namespace weir::onnx {

/// Scores [rows, classes] as the attribute post_transform says.
mlir::FailureOr<Expr> transformed(Node &node, Expr scores);
/// The same, by a transform's name.
mlir::FailureOr<Expr> transformed(Node &node, Expr scores, llvm::StringRef how);
/// Operand 0 as rows of f32; a vector is one row.
mlir::FailureOr<Expr> rowsOfFloats(Node &node);
/// The labels of a classifier: the attribute `numbers`, or of strings, which
/// come first where a node has both, the indices in the table of the result.
mlir::FailureOr<Integers> classLabels(Node &node, llvm::StringRef numbers);

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_LEARNED_LINEAR_H
