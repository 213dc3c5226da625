// Loops over the elements of matrices, as the lowerings of family Linear write
// them: sequential, on tensors that are changed in place. What a loop changes
// is only ever read through its newest value, so that nothing is copied.

#ifndef WEIR_PASSES_LOWER_LINEAR_LINEARSHARED_H
#define WEIR_PASSES_LOWER_LINEAR_LINEARSHARED_H

#include "passes/lower/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace weir::lower {

/// Builds arithmetic on scalars of one float type, indices, and loops.
class Matrices {
public:
  using State = llvm::SmallVector<mlir::Value>;
  using Body = llvm::function_ref<State(mlir::Value index, mlir::ValueRange)>;

  Matrices(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type)
      : b(loc, builder), type(type) {}

  mlir::Value index(int64_t value);
  mlir::Value number(double value);

  /// A loop of body(i, state) for i from `begin` to `end`; returns the last
  /// state.
  State loop(mlir::Value begin, mlir::Value end, mlir::ValueRange init,
             Body body);
  /// As above for one value.
  mlir::Value
  loop(mlir::Value begin, mlir::Value end, mlir::Value init,
       llvm::function_ref<mlir::Value(mlir::Value index, mlir::Value)> body);

  mlir::Value get(mlir::Value tensor, mlir::ValueRange at);
  mlir::Value set(mlir::Value element, mlir::Value tensor, mlir::ValueRange at);

  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value sub(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, mlir::Value y);
  mlir::Value div(mlir::Value x, mlir::Value y);
  mlir::Value neg(mlir::Value x);
  mlir::Value abs(mlir::Value x);
  mlir::Value sqrt(mlir::Value x);
  /// Comparisons that are false if an operand is NaN.
  mlir::Value above(mlir::Value x, mlir::Value y);
  mlir::Value select(mlir::Value condition, mlir::Value x, mlir::Value y);

  mlir::Value next(mlir::Value index);
  mlir::Value addIndex(mlir::Value x, mlir::Value y);
  mlir::Value subIndex(mlir::Value x, mlir::Value y);
  mlir::Value same(mlir::Value x, mlir::Value y);

  /// Copies `x` to a new tensor with merged leading dimensions.
  mlir::Value copyBatched(mlir::Value x);
  /// Applies `change` to each element of matrix `at` of `x`.
  mlir::Value eachElement(mlir::Value x, mlir::Value at, mlir::Value rows,
                          mlir::Value columns,
                          llvm::function_ref<mlir::Value(mlir::Value)> change);
  /// The largest magnitude of matrix `at`; 1 if all are 0. Divided by it,
  /// squares of elements do not overflow.
  mlir::Value largest(mlir::Value x, mlir::Value at, mlir::Value rows,
                      mlir::Value columns);
  /// An uninitialized tensor of batched matrices or vectors.
  mlir::Value empty(llvm::ArrayRef<int64_t> shape, mlir::Type elementType);
  mlir::Value zeros(llvm::ArrayRef<int64_t> shape);
  /// Identity matrices: batch x size x size.
  mlir::Value identity(int64_t batch, int64_t size);
  /// Expands the merged leading dimension to those of `result`.
  mlir::Value split(mlir::Value x, mlir::Type result);

  mlir::ImplicitLocOpBuilder b;
  mlir::Type type;
};

/// Merges the leading dimensions of `type`.
int64_t batchOf(mlir::RankedTensorType type, int64_t matrixRank = 2);

void addDecompositionPatterns(const mlir::TypeConverter &,
                              mlir::RewritePatternSet &);
void addSvdPatterns(const mlir::TypeConverter &, mlir::RewritePatternSet &);

} // namespace weir::lower

#endif // WEIR_PASSES_LOWER_LINEAR_LINEARSHARED_H
