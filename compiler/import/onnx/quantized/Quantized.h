// Integers that stand for floats by a scale and a zero point.

#ifndef WEIR_COMPILER_IMPORT_ONNX_QUANTIZED_QUANTIZED_H
#define WEIR_COMPILER_IMPORT_ONNX_QUANTIZED_QUANTIZED_H

#include "compiler/import/onnx/neural/Compose.h"

namespace weir::onnx {

/// Floats rounded to the nearest integer, of two the even one, and moved by
/// the zero point, in its type; what lies outside of that goes to its end.
Expr saturated(Expr x, Expr zero);

void addQuantizedHandlers(Handlers &);

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_QUANTIZED_QUANTIZED_H
