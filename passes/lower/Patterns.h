// The patterns of LowerGraph, by family of the dialect, and their helpers.
// Operands are already converted: element types are signless.

#ifndef WEIR_PASSES_LOWER_PATTERNS_H
#define WEIR_PASSES_LOWER_PATTERNS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/DialectConversion.h"

namespace weir::lower {

void addContractionPatterns(const mlir::TypeConverter &,
                            mlir::RewritePatternSet &);
void addElementwisePatterns(const mlir::TypeConverter &,
                            mlir::RewritePatternSet &);
void addIndexPatterns(const mlir::TypeConverter &, mlir::RewritePatternSet &);
void addLinearPatterns(const mlir::TypeConverter &, mlir::RewritePatternSet &);
void addNeuralPatterns(const mlir::TypeConverter &, mlir::RewritePatternSet &);
void addReducePatterns(const mlir::TypeConverter &, mlir::RewritePatternSet &);
void addScatterPatterns(const mlir::TypeConverter &, mlir::RewritePatternSet &);
void addCornerPatterns(const mlir::TypeConverter &, mlir::RewritePatternSet &);
void addShapePatterns(const mlir::TypeConverter &, mlir::RewritePatternSet &);
void addSortPatterns(const mlir::TypeConverter &, mlir::RewritePatternSet &);
void addTopKPatterns(const mlir::TypeConverter &, mlir::RewritePatternSet &);

/// An uninitialized tensor of the converted type of `type`.
mlir::Value emptyTensor(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::Type type);
/// A tensor whose elements are all `value`, a scalar.
mlir::Value filledTensor(mlir::OpBuilder &b, mlir::Location loc,
                         mlir::Type type, mlir::Value value);
/// `count` parallel loops.
llvm::SmallVector<mlir::utils::IteratorType> parallelLoops(int64_t count);

/// Computes each element of a tensor of `type` from its indices: a generic op
/// of parallel loops without inputs. `element` may read any tensor by
/// tensor.extract. A tensor without elements needs no loops.
mlir::Value
generateTensor(mlir::OpBuilder &b, mlir::Location loc, mlir::Type type,
               llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location,
                                              mlir::ValueRange)>
                   element);

/// Copies a tensor, for loops to overwrite.
mlir::Value copyTensor(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::Value value);
/// The same elements in another shape.
mlir::Value reshapeTensor(mlir::OpBuilder &b, mlir::Location loc,
                          mlir::Value value, llvm::ArrayRef<int64_t> shape);
/// An i32 or i64 clamped to 0 .. `size`-1, as an index.
mlir::Value clampIndex(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::Value integer, int64_t size);

/// Runs `body` for all indices of a box of `sizes` in row-major order,
/// sequentially. It receives and returns the tensors that the loops carry.
llvm::SmallVector<mlir::Value> sequentialLoops(
    mlir::OpBuilder &b, mlir::Location loc, llvm::ArrayRef<int64_t> sizes,
    mlir::ValueRange inits,
    llvm::function_ref<llvm::SmallVector<mlir::Value>(
        mlir::OpBuilder &, mlir::Location, mlir::ValueRange, mlir::ValueRange)>
        body);

} // namespace weir::lower

#endif // WEIR_PASSES_LOWER_PATTERNS_H
