// Trees of decisions. All rows go down all trees at once: each step looks up
// the nodes where they are and moves on; a leaf's next node is itself.

#ifndef WEIR_COMPILER_IMPORT_ONNX_LEARNED_FOREST_H
#define WEIR_COMPILER_IMPORT_ONNX_LEARNED_FOREST_H

#include "compiler/import/onnx/learned/Learned.h"

namespace weir::onnx {

/// Scores [rows, targets] of x [rows, features]: what the leaves give to which
/// the rows come, put together as `aggregate` says.
mlir::FailureOr<Expr> scoresOf(Node &node, Expr x, const Forest &forest,
                               llvm::StringRef aggregate);

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_LEARNED_FOREST_H
