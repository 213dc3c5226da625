// Formulas of elementwise nodes.

#ifndef WEIR_COMPILER_EXPORT_ONNX_FORMULAS_H
#define WEIR_COMPILER_EXPORT_ONNX_FORMULAS_H

#include "compiler/export/onnx/Writer.h"

namespace weir::to_onnx {

inline bool isFloat(const Tensor &x) {
  return mlir::isa<mlir::FloatType>(x.element);
}

/// A node whose results are Booleans.
Tensor test(Writer &w, llvm::StringRef op, llvm::ArrayRef<Tensor> operands);
/// A node with the operand and a number.
Tensor with(Writer &w, llvm::StringRef op, Tensor x, double number);

/// Ops of integers that ONNX lacks or does not define.
Tensor writeCast(Writer &w, llvm::ArrayRef<Tensor> x, mlir::Operation *op);
Tensor writeShiftLeft(Writer &w, llvm::ArrayRef<Tensor> x, mlir::Operation *op);
Tensor writeShiftRight(Writer &w, llvm::ArrayRef<Tensor> x,
                       mlir::Operation *op);
Tensor writeReciprocal(Writer &w, llvm::ArrayRef<Tensor> x,
                       mlir::Operation *op);
Tensor writePow(Writer &w, llvm::ArrayRef<Tensor> x, mlir::Operation *op);

} // namespace weir::to_onnx

#endif // WEIR_COMPILER_EXPORT_ONNX_FORMULAS_H
