// Activations with a bias, and those that fused operators name.

#ifndef WEIR_COMPILER_IMPORT_ONNX_MICROSOFT_ACTIVATIONS_H
#define WEIR_COMPILER_IMPORT_ONNX_MICROSOFT_ACTIVATIONS_H

#include "compiler/import/onnx/microsoft/Microsoft.h"

namespace weir::onnx {

/// x after the activation that a fused operator names; `parameters` replace the
/// defaults of its alpha and beta. An error where the name is unknown.
mlir::FailureOr<Expr> activated(Node &node, Expr x, llvm::StringRef name,
                                llvm::ArrayRef<double> parameters);
/// x (erf(x / sqrt(2)) + 1) / 2, and its approximation by tanh.
Expr gaussianError(Expr x);
Expr gaussianErrorByTanh(Expr x);
/// A vector for the last dimension of `x`; an error where operand `i` is none.
mlir::FailureOr<Expr> forLast(Node &node, unsigned i, Expr x);

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_MICROSOFT_ACTIVATIONS_H
