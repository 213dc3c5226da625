// What handlers compose expressions with, and the families of those that do.

#ifndef WEIR_COMPILER_IMPORT_ONNX_NEURAL_COMPOSE_H
#define WEIR_COMPILER_IMPORT_ONNX_NEURAL_COMPOSE_H

#include "compiler/import/onnx/Operands.h"

namespace weir::onnx {

/// An error where one of the first `count` operands is left out.
mlir::LogicalResult wantOperands(Node &node, unsigned count);
/// The same; and where operand 0 has a rank below `rank`, or is not of floats.
mlir::LogicalResult wantFloats(Node &node, unsigned count, int64_t rank = 0);

/// All elements `value`.
Expr filled(mlir::ImplicitLocOpBuilder &b, llvm::ArrayRef<int64_t> shape,
            mlir::Type elementType, double value);
/// 0, 1, ... of an element type, in a constant of rank 1.
Expr counted(mlir::ImplicitLocOpBuilder &b, int64_t count, mlir::Type type);
/// A vector along dimension `dim` of a tensor of `rank` dimensions.
Expr along(Expr vector, int64_t dim, int64_t rank);
/// Reductions along `dims` (ascending), which stay as 1.
Expr largest(Expr x, llvm::ArrayRef<int64_t> dims);
Expr smallest(Expr x, llvm::ArrayRef<int64_t> dims);
/// All dimensions from `first` on.
Integers dimsFrom(int64_t first, int64_t rank);
/// The product of sizes; at most what a tensor's elements can be.
int64_t productOf(llvm::ArrayRef<int64_t> sizes);

void addConvolutionHandlers(Handlers &);
void addNormHandlers(Handlers &);
void addPatchHandlers(Handlers &);
void addPoolHandlers(Handlers &);
void addRecurrentHandlers(Handlers &);

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_NEURAL_COMPOSE_H
