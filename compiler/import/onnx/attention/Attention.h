// Layers that look back over a sequence.

#ifndef WEIR_COMPILER_IMPORT_ONNX_ATTENTION_ATTENTION_H
#define WEIR_COMPILER_IMPORT_ONNX_ATTENTION_ATTENTION_H

#include "compiler/import/onnx/neural/Compose.h"

namespace weir::onnx {

/// [batch, steps, heads * size] as [batch, heads, steps, size]; without a value
/// where the last dimension is not divided by `heads`.
Expr splitHeads(Expr x, int64_t heads);
/// The inverse.
Expr joinHeads(Expr x);
/// Each head of dimension 1 `times` in a row.
Expr repeatHeads(Expr x, int64_t times);

/// Queries, keys and values [batch, heads, steps, size].
struct Heads {
  Expr q, k, v;
  int64_t queries, keys, past = 0;
};

/// Reads operands 0 to 2, and the past at 4 and 5; `present` are keys and
/// values with it.
mlir::FailureOr<Heads> headsOf(Node &node, Expr (&present)[2]);
/// The products of queries and keys, scaled.
mlir::FailureOr<Expr> productsOf(Node &node, const Heads &heads);
/// What the softmax is computed in; an error where it cannot be.
mlir::FailureOr<mlir::Type> precisionOf(Node &node, mlir::Type otherwise);
/// The softmax of scores. A row that a mask leaves nothing of has zeros, so
/// that NaN does not spread from positions that are padding.
Expr sharesOf(Expr scores, bool isMasked);

void addAttentionHandlers(Handlers &);
void addFlexAttentionHandlers(Handlers &);
void addLinearAttentionHandlers(Handlers &);

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_ATTENTION_ATTENTION_H
