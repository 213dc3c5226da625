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

void addAttentionHandlers(Handlers &);
void addLinearAttentionHandlers(Handlers &);

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_ATTENTION_ATTENTION_H
