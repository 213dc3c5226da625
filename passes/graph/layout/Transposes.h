// What passes that move transposes have in common.

#ifndef WEIR_PASSES_GRAPH_LAYOUT_TRANSPOSES_H
#define WEIR_PASSES_GRAPH_LAYOUT_TRANSPOSES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/PatternMatch.h"

namespace weir::layout {

bool isIdentity(llvm::ArrayRef<int64_t> permutation);

/// The permutation that takes back what another does.
llvm::SmallVector<int64_t> inverse(llvm::ArrayRef<int64_t> permutation);

/// values[i] for each i of `permutation`.
llvm::SmallVector<int64_t> permuted(llvm::ArrayRef<int64_t> values,
                                    llvm::ArrayRef<int64_t> permutation);

/// What `permuted` by `permutation` gives `values`.
llvm::SmallVector<int64_t> unpermuted(llvm::ArrayRef<int64_t> values,
                                      llvm::ArrayRef<int64_t> permutation);

/// What can be had in any order of dimensions: constants, in the end.
bool isFree(mlir::Value value);

/// The value whose transpose is `value`: what is transposed here, or what costs
/// next to nothing to arrange otherwise.
mlir::Value untransposed(mlir::PatternRewriter &rewriter, mlir::Value value,
                         llvm::ArrayRef<int64_t> permutation);

/// Builds `op` on other operands, with a result of its own shape unpermuted.
mlir::Operation *rebuild(mlir::PatternRewriter &rewriter, mlir::Operation *op,
                         mlir::ValueRange operands,
                         llvm::ArrayRef<int64_t> permutation);

} // namespace weir::layout

#endif // WEIR_PASSES_GRAPH_LAYOUT_TRANSPOSES_H
