// Rotary embeddings, alone and inside of attention.

#ifndef WEIR_COMPILER_IMPORT_ONNX_MICROSOFT_ROTARY_H
#define WEIR_COMPILER_IMPORT_ONNX_MICROSOFT_ROTARY_H

#include "compiler/import/onnx/microsoft/Attention.h"

namespace weir::onnx {

/// Rotates x of `heads` heads by the angles of the positions. Only the first
/// `size` elements of a head rotate (0: all).
mlir::FailureOr<Expr> turned(Node &node, Expr x, Expr cosines, Expr sines,
                             Expr positions, int64_t heads, int64_t size);

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_MICROSOFT_ROTARY_H
