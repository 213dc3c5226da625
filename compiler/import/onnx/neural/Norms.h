// What normalizations share.

#ifndef WEIR_COMPILER_IMPORT_ONNX_NEURAL_NORMS_H
#define WEIR_COMPILER_IMPORT_ONNX_NEURAL_NORMS_H

#include "compiler/import/onnx/neural/Compose.h"

namespace weir::onnx {

/// A normalized tensor, and the mean and the factor that made it.
struct Normal {
  Expr x, mean, inverse;
};

/// (x - mean) / sqrt(variance + epsilon) along `dims`.
Normal normalize(Expr x, llvm::ArrayRef<int64_t> dims, double epsilon);
/// x / sqrt(mean of squares + epsilon) along `dims`; there is no mean.
Normal scaleToOne(Expr x, llvm::ArrayRef<int64_t> dims, double epsilon);

/// The handler of RMSNormalization. The factor is a second result, which only
/// SimplifiedLayerNormalization, ONNX Runtime's name for it, has.
mlir::LogicalResult importRmsNorm(Node &node);

/// The element type of a normalization's first stage.
mlir::Type stashType(Node &node, Expr x);

} // namespace weir::onnx

#endif // WEIR_COMPILER_IMPORT_ONNX_NEURAL_NORMS_H
