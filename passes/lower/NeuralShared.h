// What the lowerings of family Neural share.

#ifndef WEIR_PASSES_LOWER_NEURALSHARED_H
#define WEIR_PASSES_LOWER_NEURALSHARED_H

#include "passes/lower/Patterns.h"

namespace weir {

/// The type that sums of elements of `type` are kept in: f32 for halves.
mlir::Type accumulatorType(mlir::Type type);
/// A scalar float or integer in a wider or narrower float; integers stay.
mlir::Value convertFloat(mlir::OpBuilder &b, mlir::Location loc,
                         mlir::Value scalar, mlir::Type type);
/// A tensor of accumulators as a tensor of `type`.
mlir::Value convertElements(mlir::OpBuilder &b, mlir::Location loc,
                            mlir::Value tensor, mlir::RankedTensorType type);
/// A tensor of i8, which may stand for unsigned bytes, as one of i32.
mlir::Value widenedBytes(mlir::OpBuilder &b, mlir::Location loc,
                         mlir::Value tensor, bool isUnsigned);
/// The spatial dimensions of a channels-last `x` between borders of `value`.
mlir::Value padSpatial(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x,
                       llvm::ArrayRef<int64_t> low,
                       llvm::ArrayRef<int64_t> high, mlir::Value value);
/// Fills the region with an epilogue that stores the sum as an element of
/// `element`.
void buildEpilogue(mlir::OpBuilder &b, mlir::Location loc, mlir::Region &region,
                   mlir::Type element);
/// 0 of an element type.
mlir::Value zeroOf(mlir::OpBuilder &b, mlir::Location loc, mlir::Type type);

void addPoolPatterns(const mlir::TypeConverter &, mlir::RewritePatternSet &);
void addSoftmaxPatterns(const mlir::TypeConverter &, mlir::RewritePatternSet &);
void addSuppressPatterns(const mlir::TypeConverter &,
                         mlir::RewritePatternSet &);

} // namespace weir

#endif // WEIR_PASSES_LOWER_NEURALSHARED_H
