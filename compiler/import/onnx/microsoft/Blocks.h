// Weights of 2, 4 or 8 bits that blocks of one scale and zero point each
// quantize. Constants become floats at compile time.

#ifndef WEIR_COMPILER_IMPORT_ONNX_MICROSOFT_BLOCKS_H
#define WEIR_COMPILER_IMPORT_ONNX_MICROSOFT_BLOCKS_H

#include "compiler/import/onnx/microsoft/Microsoft.h"

namespace weir::onnx {

/// Integers of `bits` bits, several to a byte of ui8 along the last dimension,
/// the first in the lowest bits, as f32.
Expr unpackedLast(Expr bytes, int64_t bits);

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_MICROSOFT_BLOCKS_H
