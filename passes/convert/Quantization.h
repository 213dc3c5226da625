// Simplifies quantization to bytes: rounding, zero point and clamping.

#ifndef WEIR_PASSES_CONVERT_QUANTIZATION_H
#define WEIR_PASSES_CONVERT_QUANTIZATION_H

#include "dialects/kernel/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace weir::convert {

/// Rewrites the computation of an unsigned byte, or of a vector of them, from
/// an f32 that is rounded to nearest even, added to an integer constant and
/// clipped, so that one addition rounds it and leaves the byte in the sum's low
/// bits. A float made of the byte again takes it from the sum. Where the f32 is
/// a quotient by a constant, the quotient is made of the constant's inverse.
/// Values stay the same bit for bit. Does nothing to any other conversion.
void quantizeByAddition(mlir::arith::FPToUIOp conversion,
                        const kernel::Target &target);

} // namespace weir::convert

#endif // WEIR_PASSES_CONVERT_QUANTIZATION_H
