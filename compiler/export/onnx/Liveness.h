// Which ops of a program an ONNX file needs.

#ifndef WEIR_COMPILER_EXPORT_ONNX_LIVENESS_H
#define WEIR_COMPILER_EXPORT_ONNX_LIVENESS_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"

namespace weir::to_onnx {

/// The ops that results need. Checks of values, which ONNX does not have, need
/// none; operands write constants.
class Liveness {
public:
  /// Visits a block from its end, and the regions in it.
  void visit(mlir::Block &block);
  bool isLive(mlir::Operation *op) const;

private:
  llvm::DenseSet<mlir::Value> used;
};

} // namespace weir::to_onnx

#endif // WEIR_COMPILER_EXPORT_ONNX_LIVENESS_H
