// Helpers of the passes that move transposes.

#ifndef WEIR_PASSES_GRAPH_LAYOUT_TRANSPOSES_H
#define WEIR_PASSES_GRAPH_LAYOUT_TRANSPOSES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/PatternMatch.h"

namespace weir::graph::layout {

bool isIdentity(llvm::ArrayRef<int64_t> permutation);

/// The inverse of a permutation.
llvm::SmallVector<int64_t> inverse(llvm::ArrayRef<int64_t> permutation);

/// values[i] for each i of `permutation`.
llvm::SmallVector<int64_t> permuted(llvm::ArrayRef<int64_t> values,
                                    llvm::ArrayRef<int64_t> permutation);

/// The inverse of `permuted`.
llvm::SmallVector<int64_t> unpermuted(llvm::ArrayRef<int64_t> values,
                                      llvm::ArrayRef<int64_t> permutation);

/// Whether the value can be transposed at compile time, because it depends on
/// constants only.
bool isFree(mlir::Value value);

/// The value whose transpose is `value`: the operand of a transpose, or a new
/// value that costs almost nothing to compute.
mlir::Value untransposed(mlir::PatternRewriter &rewriter, mlir::Value value,
                         llvm::ArrayRef<int64_t> permutation);

/// Builds `op` with other operands. The shape of its result is unpermuted.
mlir::Operation *rebuild(mlir::PatternRewriter &rewriter, mlir::Operation *op,
                         mlir::ValueRange operands,
                         llvm::ArrayRef<int64_t> permutation);

} // namespace weir::graph::layout

#endif // WEIR_PASSES_GRAPH_LAYOUT_TRANSPOSES_H
