// Helpers of the lowerings of the family Neural.

#ifndef WEIR_PASSES_LOWER_NEURALSHARED_H
#define WEIR_PASSES_LOWER_NEURALSHARED_H

#include "passes/lower/Patterns.h"

namespace weir::lower {

/// The type of sums of elements of `type`: f32 for f16 and bf16.
mlir::Type accumulatorType(mlir::Type type);
/// Converts a float or integer scalar to another float type; does not change
/// integers for an integer type.
mlir::Value convertFloat(mlir::OpBuilder &b, mlir::Location loc,
                         mlir::Value scalar, mlir::Type type);
/// Converts a tensor of accumulators to `type`.
mlir::Value convertElements(mlir::OpBuilder &b, mlir::Location loc,
                            mlir::Value tensor, mlir::RankedTensorType type);
/// Widens a tensor of i8, which may represent unsigned bytes, to i32.
mlir::Value widenedBytes(mlir::OpBuilder &b, mlir::Location loc,
                         mlir::Value tensor, bool isUnsigned);
/// Pads the spatial dimensions of a channels-last `x` by `value`.
mlir::Value padSpatial(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x,
                       llvm::ArrayRef<int64_t> low,
                       llvm::ArrayRef<int64_t> high, mlir::Value value);
/// Fills the region with an epilogue that converts the sum to `element`.
void buildEpilogue(mlir::OpBuilder &b, mlir::Location loc, mlir::Region &region,
                   mlir::Type element);
/// Zero of an element type.
mlir::Value zeroOf(mlir::OpBuilder &b, mlir::Location loc, mlir::Type type);

void addPoolPatterns(const mlir::TypeConverter &, mlir::RewritePatternSet &);
void addSoftmaxPatterns(const mlir::TypeConverter &, mlir::RewritePatternSet &);
void addSuppressPatterns(const mlir::TypeConverter &,
                         mlir::RewritePatternSet &);

} // namespace weir::lower

#endif // WEIR_PASSES_LOWER_NEURALSHARED_H
