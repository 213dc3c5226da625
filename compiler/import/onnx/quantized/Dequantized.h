// Constant weights whose integers stay as they are stored until passes see what
// uses them.

#ifndef WEIR_COMPILER_IMPORT_ONNX_QUANTIZED_DEQUANTIZED_H
#define WEIR_COMPILER_IMPORT_ONNX_QUANTIZED_DEQUANTIZED_H

#include "compiler/import/onnx/quantized/Quantized.h"

namespace weir::onnx {

/// The result of a DequantizeLinear of constants as one op, which passes may
/// leave packed: a matrix of narrow integers, or of bytes in blocks. Without a
/// value for all else.
Expr keptDequantized(Node &node);

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_QUANTIZED_DEQUANTIZED_H
