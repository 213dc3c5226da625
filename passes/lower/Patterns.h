// The patterns of LowerGraph, by the families of the dialect, and what they
// share. Operands arrive converted: element types are signless.

#ifndef WEIR_PASSES_LOWER_PATTERNS_H
#define WEIR_PASSES_LOWER_PATTERNS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/DialectConversion.h"

namespace weir {

void addElementwisePatterns(const mlir::TypeConverter &,
                            mlir::RewritePatternSet &);
void addLinearPatterns(const mlir::TypeConverter &, mlir::RewritePatternSet &);
void addNeuralPatterns(const mlir::TypeConverter &, mlir::RewritePatternSet &);
void addReducePatterns(const mlir::TypeConverter &, mlir::RewritePatternSet &);
void addShapePatterns(const mlir::TypeConverter &, mlir::RewritePatternSet &);

/// A tensor to be written over, of the converted type of `type`.
mlir::Value emptyTensor(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::Type type);
/// The same, every element `value` (a scalar).
mlir::Value filledTensor(mlir::OpBuilder &b, mlir::Location loc,
                         mlir::Type type, mlir::Value value);
/// `count` loops that are all parallel.
llvm::SmallVector<mlir::utils::IteratorType> parallelLoops(int64_t count);

/// Makes each element of a tensor of `type` from its indices: a generic op of
/// parallel loops without inputs. `element` may read any tensor by
/// tensor.extract.
mlir::Value
generateTensor(mlir::OpBuilder &b, mlir::Location loc, mlir::Type type,
               llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location,
                                              mlir::ValueRange)>
                   element);

} // namespace weir

#endif // WEIR_PASSES_LOWER_PATTERNS_H
